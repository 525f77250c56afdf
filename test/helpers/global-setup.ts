import { ensureRelease, pinned } from '../../src/probe/pinned-cli.ts'
import { cache } from './claude.ts'

/** The workers inherit the variables. */
export const setup = async (): Promise<void> => {
  const [claude, opencode] = await Promise.all([
    process.env['YOKE_TEST_CLAUDE'] ?? ensureRelease('claude', pinned.claude, cache),
    process.env['YOKE_TEST_OPENCODE'] ?? ensureRelease('opencode', pinned.opencode, cache),
  ])
  process.env['YOKE_TEST_CLAUDE'] = claude
  process.env['YOKE_TEST_OPENCODE'] = opencode
}
