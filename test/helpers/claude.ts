import { join } from 'node:path'
import { pinned } from '../../src/probe/pinned-cli.ts'

/** The cache of the checkout: git ignores it. */
export const cache = join(import.meta.dirname, '..', '..', '.cache')

/** The Claude Code that the tests run: `YOKE_TEST_CLAUDE`, or the pinned release, which the global set-up has installed. */
export const claudePath = (): string =>
  process.env['YOKE_TEST_CLAUDE'] ?? join(cache, 'claude', pinned.claude, 'node_modules', '.bin', 'claude')
