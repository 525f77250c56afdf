import type { Agent } from '../agent.ts'
import { commandLine } from './arguments.ts'
import { classify } from './classify.ts'
import { program } from './cli.ts'
import { listSessions } from './database.ts'
import { spentBy } from './delegated.ts'
import { parseErrorLine, parseLine } from './events.ts'
import { inspect } from './inspect.ts'
import { brokenRelease } from './release.ts'
import { findSession } from './store.ts'
import { lostBeginning, watchSession } from './stored-messages.ts'
import { openSession, ownsSession } from './stored-session.ts'
import { trimSession } from './trim.ts'

const minute = 60_000

/** OpenCode, measured on 1.18.33. */
export const opencode: Agent = {
  ...program,
  login: 'opencode auth login',
  // It works without a login with models of its own, and a provider's key may stand in any variable or file.
  isLoggedIn: async () => undefined,
  brokenRelease,
  commandLine,
  inspect,
  parseLine,
  parseErrorLine,
  // A tool that runs, and a subagent with all its tools, say nothing until they have ended.
  patience: { silenceMs: 60 * minute, retryingMs: 5 * minute },
  classify,
  // Each step says its own cost.
  printsSessionCost: () => false,
  spentBy,
  // It works there without a word, and ends only if the folder is gone (1.17.0 to 1.18.33).
  bindsSessions: true,
  findSession,
  watchSession,
  lostBeginning,
  trimSession,
  listSessions,
  ownsSession,
  openSession,
  goOnCommand: (id) => `opencode --session ${id}`,
}
