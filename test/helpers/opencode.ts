import { join } from 'node:path'
import { pinned, releaseFolder } from '../../src/probe/pinned-cli.ts'
import { cache } from './claude.ts'

/** The OpenCode that the tests run: `YOKE_TEST_OPENCODE`, or the pinned release, which the global set-up has installed. */
export const opencodePath = (): string =>
  process.env['YOKE_TEST_OPENCODE'] ??
  join(releaseFolder('opencode', pinned.opencode, cache), 'node_modules', '.bin', 'opencode')
