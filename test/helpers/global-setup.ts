import { ensureClaude, pinnedClaude } from '../../src/probe/pinned-cli.ts'
import { cache } from './claude.ts'

/** The workers inherit the variable. */
export const setup = async (): Promise<void> => {
  process.env['YOKE_TEST_CLAUDE'] ??= await ensureClaude(pinnedClaude, cache)
}
