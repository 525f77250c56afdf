import type { RunEvent } from '../events.ts'
import type { RunState, Step } from './state.ts'

/** What a run knows of those that work beside it: they share a limit of cost, and the usage limit of one account. */
export type Others = {
  /** What they have cost, in US dollars. */
  readonly costUsd: number
  /** How many of them are at work. */
  readonly working: number
  /** The latest wait for a usage limit that one of them began. */
  readonly wait?: { readonly until: number; readonly reason: string }
}

/** Whom a run meets, as a sum over the runs of one fleet. */
export type Fleet = ReadonlyMap<string, Member>

type Member = {
  readonly costUsd: number
  readonly isWorking: boolean
  readonly wait?: { readonly until: number; readonly reason: string }
}

/** The fleet after one more event of one of its runs. */
export const joinFleet = (fleet: Fleet, event: RunEvent): Fleet => {
  const member = fleet.get(event.run) ?? { costUsd: 0, isWorking: true }
  return new Map(fleet).set(event.run, memberAfter(member, event))
}

const memberAfter = (member: Member, event: RunEvent): Member => {
  switch (event.type) {
    case 'agent.finished':
    case 'agent.lost':
      return { ...member, costUsd: member.costUsd + event.costUsd }
    case 'wait.started':
      return event.class === 'rate-limit'
        ? { ...member, wait: { until: event.until, reason: event.reason } }
        : member
    case 'run.finished':
      return { ...member, isWorking: false }
    default:
      return member
  }
}

/** What a run of the fleet knows of the others. */
export const othersOf = (fleet: Fleet, run: string): Others => {
  const others = [...fleet].flatMap(([id, member]) => (id === run ? [] : [member]))
  const wait = others
    .flatMap((each) => each.wait ?? [])
    .reduce<Others['wait']>(
      (last, each) => (last === undefined || each.until > last.until ? each : last),
      undefined,
    )
  return {
    costUsd: others.reduce((sum, { costUsd }) => sum + costUsd, 0),
    working: others.filter(({ isWorking }) => isWorking).length,
    ...(wait === undefined ? {} : { wait }),
  }
}

const starts: ReadonlySet<Step['do']> = new Set<Step['do']>(['run-worker', 'run-judge', 'run-periodic'])

/**
 * The wait that another run has begun, before a step that starts an agent or leads to one: the limit is that of the account, and a
 * try of one's own would only meet it again.
 */
export const sharedWait = (
  step: Step,
  { directives }: Pick<RunState, 'directives'>,
  { others, time }: { readonly others?: Others; readonly time: number },
): Step | undefined => {
  const isStart =
    starts.has(step.do) ||
    (step.do === 'record' &&
      (step.event.type === 'iteration.started' || step.event.type === 'periodic.started'))
  const wait = others?.wait
  return isStart && wait !== undefined && wait.until > time && directives['on-limit'] === 'wait'
    ? {
        do: 'record',
        event: { type: 'wait.started', class: 'rate-limit', reason: wait.reason, until: wait.until },
      }
    : undefined
}

/** What is left of a shared budget for the next start of an agent: those at work could all spend it at the same time. */
export const budgetShare = (
  most: number,
  costUsd: number,
  { costUsd: spent, working }: Others = { costUsd: 0, working: 0 },
): number => Math.max((most - costUsd - spent) / (working + 1), 0.0001)

/** The exit code for all: a signal before everything, else that of the first task that is not done. */
export const exitCodeOfAll = (codes: readonly number[]): number =>
  codes.find((code) => code === 130 || code === 143) ?? codes.find((code) => code !== 0) ?? 0
