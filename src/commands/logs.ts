import { setTimeout as sleep } from 'node:timers/promises'
import picocolors from 'picocolors'
import type { Colors } from 'picocolors/types'
import * as v from 'valibot'
import type { Agent } from '../agents/agent.ts'
import { agentByName } from '../agents/registry.ts'
import { exitCode, YokeError } from '../errors.ts'
import { type RunEvent, RunEventSchema } from '../events.ts'
import type { Define } from '../main.ts'
import { openNamedRun } from '../run/git/worktree.ts'
import { isAlive, readHolder } from '../run/lock.ts'
import type { StoredRun } from '../run/open-run.ts'
import { agentOf } from '../task/roles.ts'
import { agentLineOf, streamFile } from '../ui/agent-log.ts'
import { printableJson } from '../ui/format.ts'
import { lineOf } from '../ui/lines.ts'
import { wantsColor } from '../ui/output.ts'
import { openTail, type Tail } from '../ui/tail.ts'

type LogsOptions = {
  readonly follow?: boolean
  readonly iteration?: unknown
  readonly json?: boolean
}

export const define: Define = (cli) => {
  cli
    .command('logs [run]', 'Show what the agent said and did, in the newest run or the one with this id')
    .option('-f, --follow', 'Go on while the run goes on')
    .option('--iteration <n>', 'Only this iteration')
    .option('--json', "Print the run's events and the agent's own, one JSON object a line")
    .example('  yoke logs | less')
    .example('  yoke logs -f')
    .example('  yoke logs 20261201-0935 --iteration 3')
    .action(async (run: string | undefined, options: LogsOptions) => {
      const stored = await openNamedRun(run)
      const iteration = iterationOf(options.iteration, stored)
      const colors = picocolors.createColors(wantsColor(process.stdout, process.env))
      await showLog(stored, { ...options, iteration, colors })
      return exitCode.done
    })
}

/** Throws E_USAGE for a number that is none, or that the run has not come to. */
const iterationOf = (given: unknown, { state }: StoredRun): number | undefined => {
  if (given === undefined) return undefined
  const n = Number(given)
  if (Number.isInteger(n) && n >= 1 && n <= state.iteration) return n
  throw new YokeError(
    'E_USAGE',
    `The run has no iteration ${String(given)}.`,
    state.iteration === 0 ? 'It has none yet.' : `Name one from 1 to ${state.iteration}.`,
    exitCode.usage,
  )
}

type Shown = {
  readonly follow?: boolean
  readonly json?: boolean
  readonly iteration: number | undefined
  readonly colors: Colors
}

const pollMs = 300

const showLog = async (stored: StoredRun, shown: Shown): Promise<void> => {
  const print = printer(stored, shown)
  const journal = openTail(stored.folder.events)
  const { lock } = stored.loop
  for (;;) {
    // Asked before the files are read: what was written until then is shown even when the run has ended.
    const holder = await readHolder(lock)
    const runs = holder !== undefined && holder.run === stored.folder.id && isAlive(holder)
    for (const line of journal.lines()) {
      const event = parse(line)
      if (event !== undefined) print.event(event)
    }
    print.agent()
    if (!shown.follow || !runs) return
    await sleep(pollMs)
  }
}

/** Undefined for a line that this yoke does not know: a newer one may have written it. */
const parse = (line: string): RunEvent | undefined => {
  try {
    const { success, output } = v.safeParse(RunEventSchema, JSON.parse(line))
    return success ? output : undefined
  } catch {
    return undefined
  }
}

/** Prints events in their order, and what each agent said and did between its start and its end. */
const printer = ({ folder, begin, directives }: StoredRun, { iteration: wanted, json, colors }: Shown) => {
  let iteration = 0
  let cycle = 0
  let stream: Tail | undefined
  let agent: Agent = agentByName(directives.agent)
  const isWanted = () => wanted === undefined || wanted === iteration
  const write = (text: string | undefined) => {
    if (text !== undefined && isWanted()) process.stdout.write(`${text}\n`)
  }
  const drain = () => {
    for (const line of stream?.lines() ?? [])
      for (const event of agent.parseLine(line))
        write(json ? printableJson(event) : agentLineOf(event, begin.cwd, colors))
  }
  return {
    agent: drain,
    event: (event: RunEvent) => {
      if (event.type === 'agent.finished') {
        drain()
        stream = undefined
      }
      if (event.type === 'iteration.started') iteration = event.iteration
      if (event.type === 'cycle.started') cycle = event.cycle
      write(json ? printableJson(event) : headed(event, colors))
      if (event.type === 'agent.started') {
        agent = agentByName(agentOf(directives, event.role))
        stream = openTail(streamFile(folder, event, cycle + 1))
      }
    },
  }
}

const headed = (event: RunEvent, colors: Colors): string | undefined =>
  event.type === 'agent.started'
    ? colors.bold(`  ── ${event.role}${event.attempt === 1 ? '' : `, start ${event.attempt}`}`)
    : lineOf(event, colors)
