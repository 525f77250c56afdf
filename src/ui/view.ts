import * as v from 'valibot'
import type { Tokens } from '../agents/agent.ts'
import type { Activity, RunEvent } from '../events.ts'
import { initialRun, type Run, reduceRun } from '../loop/run.ts'
import { addTokens, noTokens, tokensIn } from '../loop/tokens.ts'
import { DirectivesSchema } from '../task/directives.ts'

/** An agent that runs at this moment. */
export type Working = {
  readonly role: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** Its newest tool call, or what it said after that. */
  readonly doing: string
  /** Of its finished requests; the last one may still grow. */
  readonly before: Tokens
  readonly request: Tokens
}

/** What the live block shows of a run: its state, and what is not part of the state because it passes. */
export type View = {
  readonly id: string
  readonly task: string
  readonly run: Run
  readonly working?: Working
  /** Tokens of context in the worker's newest request, as the provider counts them. */
  readonly context?: number
  readonly trim?: { readonly before: number; readonly after: number }
  readonly waitReason?: string
}

/** What has gone through so far, in finished starts and in the one under way. */
export const tokensOf = ({ run, working }: View): Tokens =>
  working === undefined
    ? run.loop.tokens
    : addTokens(run.loop.tokens, addTokens(working.before, working.request))

/** The view after one more event; undefined until a run has begun. */
export const see = (view: View | undefined, event: RunEvent | Activity, now: number): View | undefined => {
  if (event.type === 'run.started') return begin(event)
  if (view === undefined) return undefined
  if (isActivity(event)) return seeActivity(view, event)
  const next = { ...view, run: reduceRun(withDirectives(view.run, event), event) }
  switch (event.type) {
    case 'agent.started':
      return {
        ...next,
        working: { role: event.role, since: now, doing: '', before: noTokens, request: noTokens },
      }
    case 'run.resumed':
      return event.movedFrom === undefined ? idle(next) : withoutSession(idle(next))
    case 'agent.finished':
      return idle(next)
    case 'session.forked':
    case 'session.stale':
      return event.role === undefined ? withoutSession(next) : next
    case 'trim.applied':
      return event.role === undefined
        ? { ...next, trim: { before: event.tokensBefore, after: event.tokensAfter } }
        : next
    case 'wait.started':
      return { ...next, waitReason: event.reason }
    default:
      return next
  }
}

const activities: ReadonlySet<string> = new Set<Activity['type']>([
  'agent.said',
  'agent.tool',
  'agent.usage',
  'agent.retrying',
])

const isActivity = (event: RunEvent | Activity): event is Activity => activities.has(event.type)

const begin = (event: RunEvent & { type: 'run.started' }): View => {
  const directives = v.parse(DirectivesSchema, event.directives)
  return {
    id: event.run,
    task: event.task,
    run: reduceRun(initialRun(directives, event.progress, Date.parse(event.at)), event),
  }
}

/** A resumed run goes on with what the command line changed. */
const withDirectives = (run: Run, event: RunEvent): Run =>
  event.type === 'run.resumed'
    ? { ...run, loop: { ...run.loop, directives: v.parse(DirectivesSchema, event.directives) } }
    : run

const idle = ({ working: _, ...view }: View): View => view

const withoutSession = ({ context: _context, trim: _trim, ...view }: View): View => view

const seeActivity = (view: View, activity: Activity): View => {
  const { working } = view
  if (activity.type === 'wait.left' || working?.role !== activity.role) return view
  switch (activity.type) {
    case 'agent.said':
      return { ...view, working: { ...working, doing: activity.text } }
    case 'agent.tool':
      return { ...view, working: { ...working, doing: `${activity.tool} ${activity.target}` } }
    case 'agent.retrying':
      return { ...view, working: { ...working, doing: `tries again after ${activity.cause}` } }
    case 'agent.usage':
      return {
        ...view,
        working: { ...working, ...counted(working, activity.tokens) },
        ...(activity.role === 'worker' ? { context: tokensIn(activity.tokens) } : {}),
      }
  }
}

/** An answer is reported once a block, with the same request each time; the next request is never the same. */
const counted = ({ before, request }: Working, tokens: Tokens): Pick<Working, 'before' | 'request'> =>
  tokens.input === request.input &&
  tokens.cacheRead === request.cacheRead &&
  tokens.cacheWrite === request.cacheWrite
    ? { before, request: tokens }
    : { before: addTokens(before, request), request: tokens }
