import * as v from 'valibot'
import { claude } from '../../agents/claude/claude.ts'
import { judgeInvocation } from '../../run/steps/judge.ts'
import { scoperInvocation } from '../../run/steps/scoper.ts'
import { DirectivesSchema } from '../../task/directives.ts'
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
        : scoperInvocation(settings, { log: texts.log, cycle: 2, hasSession: true })
    const { args } = claude.commandLine('claude', invocation, {})
    return {
      model: invocation.model ?? null,
      mayChange: invocation.access !== 'read-only',
      readsSettings:
        args[args.indexOf('--setting-sources') + 1] !== '' || !args.includes('--strict-mcp-config'),
      told: Object.entries(texts)
        .filter(([, text]) => text !== '' && invocation.prompt.includes(text))
        .map(([name]) => name),
    }
  },
)
