import { writeFile } from 'node:fs/promises'
import type { Step } from '../../loop/state.ts'
import { atomicUpdate } from '../../system/atomic-write.ts'
import type { RunContext } from '../context.ts'
import { headCommit } from '../head.ts'

/** Begins a cycle; the worker's session goes on only if it is still there, and a refusal is said (§3.9). */
export const startCycle = async (
  context: RunContext,
  { cycle, title, handoff }: Step & { do: 'start-cycle' },
): Promise<void> => {
  const { record, project } = context
  const refused =
    handoff === undefined || 'refused' in handoff
      ? handoff?.refused
      : await goneReason(context, handoff.session)
  if (refused !== undefined)
    record({
      type: 'warning',
      code: 'W_HANDOFF',
      message: `The worker's session does not go on in cycle ${cycle}, although the scoper asks for it: ${refused}.`,
    })
  record({
    type: 'cycle.started',
    cycle,
    title,
    handoff: handoff !== undefined && refused === undefined ? 'keep' : 'fresh',
    commit: await headCommit(project),
  })
}

const goneReason = async (
  { cast, project, env }: RunContext,
  session: string,
): Promise<string | undefined> =>
  (await cast.worker.agent.findSession(session, project, env)) === undefined
    ? 'its file is not where the agent keeps it'
    : undefined

/** Ends a cycle with what it has brought. */
export const finishCycle = async (
  { record, project }: RunContext,
  { cycle, commit }: Step & { do: 'finish-cycle' },
): Promise<void> => {
  const to = await headCommit(project)
  // Before the first commit there is nothing to name the beginning by.
  const commits = to === null ? null : { from: commit ?? to, to }
  record({ type: 'cycle.finished', ...cycle, left: [...cycle.left], commits })
}

/** Writes down the outcome of a cycle. */
export const logCycle = async (
  { loop, record }: RunContext,
  { cycle, ...entry }: Step & { do: 'log-cycle' },
): Promise<void> => {
  await appendToLog(loop.sagaLog, entry)
  record({ type: 'cycle.logged', cycle })
}

/** Appends an entry to `.loop/saga-log.md`: once, also when yoke was killed right after it. What others write there stays. */
export const appendToLog = async (
  file: string,
  { entry, mark }: { readonly entry: string; readonly mark: string },
): Promise<void> => {
  await writeFile(file, '', { flag: 'a' })
  await atomicUpdate(file, (log) => {
    if (log.includes(mark)) return log
    const gap = log.length === 0 ? '' : log.at(-1) === 0x0a ? '\n' : '\n\n'
    return Buffer.concat([log, Buffer.from(gap + entry)])
  })
}
