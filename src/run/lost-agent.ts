import { createReadStream } from 'node:fs'
import type { Ending, Invocation } from '../agents/agent.ts'
import type { RunEvent } from '../events.ts'
import { billOf } from '../loop/cost.ts'
import { sessionOf } from '../loop/session.ts'
import { playerOf, type RunContext } from './context.ts'
import { eventTally } from './event-tally.ts'
import { agentFiles, cycleFolder, iterationFolder } from './folder.ts'
import { lineSplitter } from './lines.ts'
import { unfinishedStart } from './orphan.ts'

/** Counts what an agent cost that its yoke was killed under (§3.4): its answers are in the stream that was kept. */
export const countLostAgent = async (context: RunContext, past: readonly RunEvent[]): Promise<void> => {
  const start = unfinishedStart(past)
  if (start === undefined) return
  const { cast, run, project, record, state, progress, now } = context
  const { iteration, role, attempt, session } = start
  const { agent } = playerOf(cast, role)
  const folder =
    role === 'scoper' ? cycleFolder(run, (progress().saga?.cycle ?? 0) + 1) : iterationFolder(run, iteration)
  const tally = eventTally()
  let version = ''
  await eachLine(agentFiles(folder, role, attempt).stream, (line) => {
    for (const event of agent.parseLine(line)) {
      tally.add(event)
      if (event.type === 'started') version = event.version ?? ''
    }
  })
  const ending: Ending = {
    ...tally.facts(),
    exit: null,
    signal: 'SIGKILL',
    endedBy: 'abort',
    stderr: '',
    endedAt: now(),
    timeZone: 'UTC',
  }
  const isFresh = role === 'judge' || role === 'scoper'
  const invocation: Invocation = {
    role,
    prompt: '',
    cwd: project,
    session:
      session === undefined ? { kind: isFresh ? 'ephemeral' : 'new' } : { kind: 'resume', id: session },
    access: isFresh ? 'read-only' : 'edit',
  }
  const bill = billOf(agent.classify(ending, invocation), {
    printedBefore: session === undefined ? 0 : sessionOf(state(), role).costUsd,
    isSessionCost: agent.printsSessionCost(version),
    known: state(),
  })
  record({ type: 'agent.lost', iteration, role, ...(session === undefined ? {} : { session }), ...bill })
}

/** A file that is missing has no lines: the agent was cut off before it said anything. */
const eachLine = async (file: string, onLine: (line: string) => void): Promise<void> => {
  const lines = lineSplitter(onLine)
  try {
    for await (const chunk of createReadStream(file)) lines.push(chunk)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
