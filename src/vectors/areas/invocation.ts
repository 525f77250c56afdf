import * as v from 'valibot'
import type { CommandLine, SessionUse } from '../../agents/agent.ts'
import { agentByName } from '../../agents/registry.ts'
import { YokeError } from '../../errors.ts'
import { area, refusal } from '../area.ts'

/** How an agent is started (§2.1, §2.2). */
export const invocation = area(
  v.strictObject({
    agent: v.picklist(['claude', 'opencode']),
    role: v.picklist(['worker', 'judge']),
    /** The session to go on with; null for a fresh one. */
    session: v.nullable(v.string()),
    /** The directive `agent-args`. */
    agentArgs: v.exactOptional(v.array(v.string()), []),
    env: v.exactOptional(v.record(v.string(), v.string()), {}),
  }),
  v.union([
    v.strictObject({
      /** The id of the session that is resumed. */
      resumes: v.nullable(v.string()),
      /** Whether the session is stored. */
      stores: v.boolean(),
      /** The variables of `env` that are handed on, in the order of their names. */
      env: v.array(v.string()),
    }),
    refusal({}),
  ]),
  ({ agent, role, session, agentArgs, env }) => {
    try {
      const command = agentByName(agent).commandLine(
        agent,
        {
          role,
          prompt: '',
          cwd: '/project',
          session: sessionUse(role, session),
          access: role === 'judge' ? 'read-only' : 'edit',
          extraArgs: agentArgs,
        },
        env,
      )
      return {
        resumes: resumes(command, agent === 'claude' ? '--resume' : '--session'),
        stores: stores[agent](command),
        env: Object.keys(env)
          .filter((name) => command.env[name] === env[name])
          .sort(),
      }
    } catch (error) {
      if (!(error instanceof YokeError)) throw error
      return { refused: error.code }
    }
  },
)

const sessionUse = (role: 'worker' | 'judge', session: string | null): SessionUse => {
  if (role === 'judge') return { kind: 'ephemeral' }
  return session === null ? { kind: 'new' } : { kind: 'resume', id: session }
}

const resumes = ({ args }: CommandLine, option: string): string | null => {
  const at = args.indexOf(option)
  return at === -1 ? null : (args[at + 1] ?? null)
}

const stores: Readonly<Record<'claude' | 'opencode', (command: CommandLine) => boolean>> = {
  claude: ({ args }) => !args.includes('--no-session-persistence'),
  opencode: ({ env }) => env['OPENCODE_DB'] !== ':memory:',
}
