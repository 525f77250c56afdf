import { mkdirSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Role } from '../../agents/agent.ts'
import { leftText } from '../../agents/named-session.ts'
import type { NewEvent } from '../../events.ts'
import { unlessWorker } from '../../loop/session.ts'
import type { Step } from '../../loop/state.ts'
import { trimLoss } from '../../loop/trim-worth.ts'
import type { TrimReport } from '../../transcript/report.ts'
import { playerOf, type RunContext } from '../context.ts'
import { fileStem, iterationFolder, notesOf } from '../folder.ts'
import { tellSessionDrift } from './drift.ts'

/** Trims a session to what the notes of its role name. Whatever stands in the way, the run goes on with the session as it is. */
export const trimSession = async (
  context: RunContext,
  { role = 'worker', session, keep, harder, foresight }: Step & { do: 'trim' },
): Promise<void> => {
  const { cast, place, record, project, env, directives, run, loop, state, now } = context
  const notes = notesOf(loop, role)
  const { agent, agentFile } = playerOf(cast, role)
  const refuse = (code: string, reason: string) =>
    record({ type: 'trim.refused', ...unlessWorker(role), session, code, reason })
  const file = await agent.findSession(session, project, env)
  if (file === undefined) return refuse('no-session', 'the session file is not where the agent keeps it')
  mkdirSync(run.backups, { recursive: true })
  let wouldBe: TrimReport['tokens'] | undefined
  const began = now()
  const result = await agent.trimSession({
    program: agentFile,
    ...(place === undefined ? {} : { launch: place.launch }),
    session,
    file,
    // Where it has read them: for some models Claude Code writes over no file whose content it has not shown.
    keep: [...keep, notes],
    cwd: project,
    staleReads: directives['stale-reads'],
    drift: directives.drift,
    harder,
    isOfRun: true,
    backup: join(run.backups, `${session}.bak`),
    env,
    ...(foresight === undefined
      ? {}
      : {
          decline: ({ tokens, paths }) => {
            wouldBe = tokens
            return trimLoss(foresight, { ...tokens, reads: paths.length })
          },
        }),
  })
  tellSessionDrift(context, session, result.drift)
  for (const id of result.left ?? [])
    record({ type: 'warning', code: 'W_SESSION_LEFT', message: leftText(id, agent.goOnCommand) })
  if (result.status === 'refused' && result.code === 'declined' && wouldBe !== undefined) {
    const { before: tokensBefore, after: tokensAfter } = wouldBe
    const { reason } = result
    return record({ type: 'trim.skipped', ...unlessWorker(role), session, reason, tokensBefore, tokensAfter })
  }
  if (result.status === 'refused') return refuse(result.code, result.reason)
  const { report, newSession } = result
  writeFileSync(
    join(iterationFolder(run, state().iteration), reportFile(role, harder)),
    `${JSON.stringify(report, undefined, 2)}\n`,
  )
  record({
    type: 'trim.applied',
    ...unlessWorker(role),
    session,
    ...(newSession === undefined ? {} : { newSession }),
    ...summary(report, project),
    unmatched: report.unmatched.filter((entry) => entry !== notes),
    durationMs: now() - began,
  })
}

const reportFile = (role: Role, harder: boolean): string =>
  `${role === 'worker' ? '' : `${fileStem(role)}.`}trim${harder ? '-harder' : ''}.json`

const summary = (
  report: TrimReport,
  project: string,
): Omit<
  Extract<NewEvent, { type: 'trim.applied' }>,
  'type' | 'role' | 'session' | 'newSession' | 'unmatched' | 'durationMs'
> => ({
  kept: report.paths.map(({ path }) => shown(path, project)),
  refreshed: report.paths
    .filter(({ state }) => state === 'refreshed')
    .map(({ path }) => shown(path, project)),
  dropped: report.dropped.map(({ path, reason }) => ({ path: shown(path, project), reason })),
  tokensBefore: report.tokens.before,
  tokensAfter: report.tokens.after,
  bytesBefore: report.bytes.before,
  bytesAfter: report.bytes.after,
})

/** Paths of the project are shown relative to it. */
const shown = (path: string, project: string): string =>
  path.startsWith(`${project}${sep}`) ? path.slice(project.length + 1) : path
