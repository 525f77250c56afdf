import { type ChildProcess, spawn } from 'node:child_process'
import * as v from 'valibot'
import { lineSplitter, tailKeeper } from '../run/lines.ts'
import { endProcessTree, withTreeMark } from '../run/process-tree.ts'
import type { Answer } from './compare.ts'
import type { Implementation } from './run.ts'

export type RunnerOptions = {
  /** A shell command. */
  readonly command: string
  /** For the answer to one case. */
  readonly timeoutMs: number
  /** Calls back when the time is up; the result takes that back. */
  readonly after?: (ms: number, timeIsUp: () => void) => () => void
}

const byTheClock: NonNullable<RunnerOptions['after']> = (ms, timeIsUp) => {
  const timer = setTimeout(timeIsUp, ms)
  return () => clearTimeout(timer)
}

/** A program that answers cases: one JSON line `{area, input}` in, one JSON line out, in order. */
export type Runner = { readonly ask: Implementation; readonly close: () => Promise<void> }

const AnswerSchema = v.union([
  v.strictObject({ output: v.unknown() }),
  v.strictObject({ skip: v.literal(true) }),
  v.strictObject({ error: v.string() }),
])

/** Runs without an answer, one after the other, after which a runner is not started any more. */
const maxDeaths = 3

/**
 * A runner that dies or gives no answer in time fails the case and is started again for the next one; when it has done so three
 * times in a row, the rest of the cases fail unasked.
 */
export const startRunner = ({ command, timeoutMs, after = byTheClock }: RunnerOptions): Runner => {
  let program: Program | undefined
  let deaths = 0
  let last = ''
  const close = async () => {
    const ended = program
    program = undefined
    await ended?.end()
  }
  const ask: Implementation = async ({ area, input }) => {
    if (deaths === maxDeaths)
      return { error: `not asked, because the runner failed ${maxDeaths} times: ${last}` }
    program ??= startProgram(command)
    const heard = await program.answer(JSON.stringify({ area, input }), (timeIsUp) =>
      after(timeoutMs, () => timeIsUp(`the runner gave no answer in ${timeoutMs} ms`)),
    )
    if ('line' in heard) {
      deaths = 0
      return parseAnswer(heard.line)
    }
    deaths += 1
    last = heard.failure
    await close()
    return { error: heard.failure }
  }
  return { ask, close }
}

const parseAnswer = (line: string): Answer => {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), AnswerSchema), line)
  return parsed.success
    ? parsed.output
    : {
        error: `the runner did not answer with {output}, {skip: true} or {error}, but with ${line.slice(0, 200)}`,
      }
}

/** No case expects an answer that comes near it. */
const longestLine = 16 << 20

type Heard = { readonly line: string } | { readonly failure: string }

type Program = {
  /** `limit` is called when the question is put, and what it gives back when it is answered. */
  readonly answer: (
    question: string,
    limit: (timeIsUp: (what: string) => void) => () => void,
  ) => Promise<Heard>
  readonly end: () => Promise<void>
}

const startProgram = (command: string): Program => {
  const env = withTreeMark(process.env)
  const child = spawn(command, {
    shell: true,
    detached: process.platform !== 'win32',
    windowsHide: true,
    env,
  })
  const end = endOf(child, env)
  let early: string | undefined
  let unended = 0
  const errors = tailKeeper(500)
  let failure: string | undefined
  let waiting: ((heard: Heard) => void) | undefined
  const hear = (heard: Heard) => {
    waiting?.(heard)
    waiting = undefined
  }
  const fail = (what: string) => {
    failure ??= `${what}${errors.text().trim() === '' ? '' : `; it wrote: ${errors.text().trim()}`}`
    hear({ failure })
  }
  const lines = lineSplitter((line) => {
    if (waiting === undefined) early ??= line
    else hear({ line })
  })
  child.stdout.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(0x0a)
    unended = end === -1 ? unended + chunk.length : chunk.length - end - 1
    if (unended <= longestLine) return lines.push(chunk)
    child.stdout.destroy()
    fail(`the runner wrote a line of more than ${longestLine >> 20} MiB`)
  })
  child.stderr.on('data', errors.push)
  // A program that does not read, or is gone, is found out by its silence or its exit.
  child.stdin.on('error', () => undefined)
  child.on('error', (error) => fail(`the runner cannot be started (${error.message})`))
  child.on('close', (code, signal) => fail(`the runner ended (${signal ?? `exit code ${code}`})`))
  return {
    end,
    answer: (question, limit) =>
      new Promise((resolve) => {
        if (failure !== undefined) return resolve({ failure })
        if (early !== undefined)
          return resolve({ failure: `the runner wrote a line that answers no case: ${early.slice(0, 200)}` })
        const stopWaiting = limit(fail)
        waiting = (heard) => {
          stopWaiting()
          resolve(heard)
        }
        child.stdin.write(`${question}\n`)
      }),
  }
}

/** Ends the program with everything that it started, also when a signal ends yoke. */
const endOf = (child: ChildProcess, env: ReturnType<typeof withTreeMark>) => {
  const onSignal = (signal: NodeJS.Signals) => void end().finally(() => process.kill(process.pid, signal))
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, onSignal)
  const end = async () => {
    for (const signal of signals) process.removeListener(signal, onSignal)
    child.stdin?.destroy()
    if (child.pid !== undefined) await endProcessTree(child.pid, { graceMs: 1000, env })
  }
  return end
}
