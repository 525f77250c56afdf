import * as v from 'valibot'
import type { RunEvent } from '../events.ts'

const text = v.string()
const number = v.number()
const optional = v.exactOptional

/** What a trace shows of an event: what others can tell of it, and what decides something. */
export const ShownEventSchema = v.strictObject({
  type: text,
  role: optional(text),
  /** Null: a fresh session. */
  session: optional(v.nullable(text)),
  class: optional(text),
  iteration: optional(number),
  name: optional(text),
  failed: optional(v.boolean()),
  verdict: optional(text),
  attempt: optional(number),
  cycle: optional(number),
  status: optional(text),
  handoff: optional(text),
  result: optional(text),
  left: optional(v.array(text)),
  iterations: optional(number),
  costUsd: optional(number),
  code: optional(text),
  exitCode: optional(number),
  /** The texts of `look` that the prompt has. */
  mentions: optional(v.array(text)),
})

export const shown = (event: RunEvent): v.InferOutput<typeof ShownEventSchema> => {
  const { type } = event
  switch (event.type) {
    case 'run.started':
    case 'run.resumed':
    case 'run.stopping':
    case 'run.paused':
    case 'run.continued':
    case 'person.said':
    case 'task.changed':
    case 'task.ignored':
    case 'notes.changed':
    case 'check.passed':
    case 'check.failed':
    case 'wait.started':
    case 'wait.finished':
    case 'drift.found':
      return { type }
    case 'iteration.started':
      return { type, iteration: event.iteration, session: event.session ?? null }
    case 'iteration.finished':
    case 'commit.made':
    case 'commit.skipped':
    case 'rollback.done':
    case 'rollback.skipped':
      return { type, iteration: event.iteration }
    case 'agent.started':
      return { type, role: event.role, session: event.session ?? null }
    case 'agent.finished':
      return { type, role: event.role, class: event.class }
    case 'agent.lost':
      return { type, role: event.role }
    case 'session.opened':
      return { type, role: event.role, session: event.session }
    case 'session.stale':
    case 'session.forked':
    case 'trim.applied':
    case 'trim.refused':
      return { type, role: event.role ?? 'worker', session: event.session }
    case 'notes.read':
    case 'trim.skipped':
      return { type, role: event.role ?? 'worker' }
    case 'judge.verdict':
      return { type, verdict: event.verdict }
    case 'judge.unreadable':
      return { type, attempt: event.attempt }
    case 'periodic.started':
      return { type, name: event.name }
    case 'periodic.finished':
      return { type, name: event.name, failed: event.problem !== '' }
    case 'cycle.planned':
      return { type, cycle: event.cycle, status: event.status }
    case 'scoper.unreadable':
      return { type, cycle: event.cycle, attempt: event.attempt }
    case 'cycle.started':
      return { type, cycle: event.cycle, handoff: event.handoff }
    case 'cycle.finished': {
      const { cycle, result, left, iterations, costUsd } = event
      return { type, cycle, result, left, iterations, costUsd }
    }
    case 'cycle.logged':
      return { type, cycle: event.cycle }
    case 'warning':
      return { type, code: event.code }
    case 'run.finished':
      return { type, result: event.result, exitCode: event.exitCode }
  }
}
