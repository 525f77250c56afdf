import type * as v from 'valibot'
import type { Agent } from '../agents/agent.ts'
import type { Engine } from '../sandbox/engine.ts'
import type { Directives } from '../task/directives.ts'

export type Status = 'ok' | 'warn' | 'fail' | 'skip'

/** What one check says of one thing: a sentence, and what to do, which is empty when nothing is. */
export type Opinion = { readonly status: Status; readonly found: string; readonly fix: string }

/** A line of the doctor's report. */
export type Row = Opinion & { readonly id: string }

/** An agent as it is on this machine. */
export type FoundAgent = {
  readonly agent: Agent
  /** Absolute path; undefined when it is not installed. */
  readonly file: string | undefined
  /** `2.1.332`; undefined when the program does not say. */
  readonly version: string | undefined
}

/** Where the doctor looks. */
export type Look = {
  readonly project: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: number
  readonly agents: readonly FoundAgent[]
  /** What the configuration of user and project says; undefined when it cannot be read. */
  readonly directives: Directives | undefined
  /** What the user's own configuration says: the project has not been trusted with what reaches out of it. */
  readonly ownDirectives: Directives
  /** The container engine of this machine; rejects as `findEngine`. It is asked once: `podman info` takes most of the doctor's time. */
  readonly engine: Promise<Engine>
  /** The name of the agent that is asked for. */
  readonly wanted: string
  /** The container image to look at. */
  readonly image: string | undefined
  /** Whether the user named the image: one that the project names is not started. */
  readonly mayStart: boolean
}

/**
 * One thing that the doctor looks at. `gather` collects facts without changing anything; `judge` is pure, and what the vectors
 * hold. A check that finds nothing to look at gathers nothing.
 */
export type Check<S extends v.GenericSchema = v.GenericSchema> = {
  readonly id: string
  readonly facts: S
  readonly gather: (look: Look) => Promise<readonly v.InferOutput<S>[]>
  readonly judge: (facts: v.InferOutput<S>) => Opinion
}

/** Keeps the facts that a check gathers of the type that it judges. */
export const check = <S extends v.GenericSchema>(each: Check<S>): Check => each as unknown as Check

export const ok = (found: string): Opinion => ({ status: 'ok', found, fix: '' })
export const skip = (found: string): Opinion => ({ status: 'skip', found, fix: '' })
export const warn = (found: string, fix: string): Opinion => ({ status: 'warn', found, fix })
export const fail = (found: string, fix: string): Opinion => ({ status: 'fail', found, fix })
