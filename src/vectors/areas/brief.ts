import * as v from 'valibot'
import type { CommandLine } from '../../agents/agent.ts'
import { agentByName } from '../../agents/registry.ts'
import { judgeInvocation } from '../../run/steps/judge.ts'
import { scoperInvocation } from '../../run/steps/scoper.ts'
import { type Directives, DirectivesSchema } from '../../task/directives.ts'
import { agentOf } from '../../task/roles.ts'
import { area } from '../area.ts'

const TextsSchema = v.strictObject({
  /** The task of the worker, or in a saga the plan. */
  task: v.string(),
  /** The goal of a saga. */
  goal: v.exactOptional(v.string(), ''),
  /** The log of a saga. */
  log: v.exactOptional(v.string(), ''),
  /** The project's own instructions, as they were when the run began. */
  instructions: v.exactOptional(v.string(), ''),
  /** What the worker has written to its notes. */
  notes: v.exactOptional(v.string(), ''),
  /** What the worker has said. */
  said: v.exactOptional(v.string(), ''),
  /** What a person has said to the run. */
  person: v.exactOptional(v.string(), ''),
})

/** How judge and scoper are started, and what they are told (§2.1). */
export const brief = area(
  v.strictObject({
    role: v.picklist(['judge', 'scoper']),
    directives: v.record(v.string(), v.unknown()),
    /** Each stands for itself: none is a part of another. */
    texts: TextsSchema,
  }),
  v.strictObject({
    /** The agent that plays the role. */
    agent: v.string(),
    model: v.nullable(v.string()),
    /** Whether the role may change the project. */
    mayChange: v.boolean(),
    /** Whether settings and memory of the user, or of other projects, are read. */
    readsSettings: v.boolean(),
    /** The names of the texts that the prompt holds, in the order of the input. */
    told: v.array(v.string()),
  }),
  ({ role, directives: given, texts }) => {
    const directives = v.parse(DirectivesSchema, given)
    const settings = {
      project: '/project',
      directives,
      task: texts.goal,
      ...(texts.instructions === '' ? {} : { instructions: texts.instructions }),
    }
    const invocation =
      role === 'judge'
        ? judgeInvocation(settings, texts.task)
        : scoperInvocation(settings, {
            log: texts.log,
            cycle: 2,
            hasSession: true,
            said: texts.person === '' ? [] : [texts.person],
          })
    const agent = agentOf(directives, role)
    return {
      agent,
      model: invocation.model ?? null,
      mayChange: invocation.access !== 'read-only',
      readsSettings: readsSettings[agent](agentByName(agent).commandLine(agent, invocation, usersEnv)),
      told: Object.entries(texts)
        .filter(([, text]) => text !== '' && invocation.prompt.includes(text))
        .map(([name]) => name),
    }
  },
)

const usersEnv = { HOME: '/home/user', XDG_CONFIG_HOME: '/home/user/.config' }

/** How a command line of each agent tells whether settings and memory are read. */
const readsSettings: Readonly<Record<Directives['agent'], (command: CommandLine) => boolean>> = {
  claude: ({ args }) =>
    args[args.indexOf('--setting-sources') + 1] !== '' || !args.includes('--strict-mcp-config'),
  opencode: ({ env }) =>
    env['XDG_CONFIG_HOME'] === usersEnv.XDG_CONFIG_HOME ||
    ['OPENCODE_DISABLE_PROJECT_CONFIG', 'OPENCODE_DISABLE_CLAUDE_CODE'].some((name) => env[name] !== '1'),
}
