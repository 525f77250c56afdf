import { sessionGuard } from '../../drift/guard.ts'
import { knownFormats } from '../../drift/known-formats.ts'
import { trim } from '../../transcript/trim.ts'
import type { Agent } from '../agent.ts'
import { commandLine } from './arguments.ts'
import { classify } from './classify.ts'
import { printsSessionCost } from './cost.ts'
import { parseLine } from './events.ts'
import { inspect } from './inspect.ts'
import { isLoggedIn } from './login.ts'
import { findSession, lostBeginning, setAside, storedSessions, watchSession } from './session-file.ts'
import { openSession, trimSession } from './stored-session.ts'

/** Claude Code, measured from 0.2.126 to 2.1.332. */
export const claude: Agent = {
  name: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  // 2.1.332 fails at its first command when it finds neither.
  shells: ['bash', 'zsh'],
  login: 'claude auth login',
  isLoggedIn,
  commandLine,
  inspect,
  parseLine,
  classify,
  printsSessionCost,
  findSession,
  watchSession,
  lostBeginning,
  setAside,
  rehearseTrim: async ({ env, ...request }, signal) => {
    const guard = sessionGuard(await knownFormats('claude', env), false)
    // The agent itself still holds the session.
    await trim({ ...request, guard, signal, dryRun: true, backup: '' })
  },
  trimSession,
  listSessions: async (cwd, env) => (await storedSessions(cwd, env)).map(({ id }) => id),
  openSession,
  goOnCommand: (id) => `claude --resume ${id}`,
}
