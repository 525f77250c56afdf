import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FormatTerms } from '../../drift/format.ts'
import { refusalText } from '../../drift/guard.ts'
import { knownFormats } from '../../drift/known-formats.ts'
import { sessionDrift } from '../../drift/opencode/guard.ts'
import { atomicWrite } from '../../system/atomic-write.ts'
import { lockSession } from '../../transcript/session-lock.ts'
import { heldByYoke, onlyLooks, writeOut } from '../../transcript/trim.ts'
import type { SessionTrim, SessionTrimmed } from '../agent.ts'
import { type Cli, installedRelease, runCli } from './cli.ts'
import { endCutOff } from './cut-off.ts'
import { type Exported, exportSession } from './export.ts'
import { mintIds } from './ids.ts'
import { planTrim } from './plan.ts'
import type { PlanFault } from './select.ts'
import type { Session } from './session-schema.ts'
import { deleteSession, takeAway } from './take-away.ts'
import { importFiles, noteImport, originFile, trimmedTo } from './trim-notes.ts'
import { faultsOf, isSame } from './verify.ts'

const refused = (code: string, reason: string): SessionTrimmed => ({ status: 'refused', code, reason })

const faultReasons: Readonly<Record<PlanFault, string>> = {
  'no-prompt': 'The session holds no prompt: it is no conversation.',
  'no-answer': 'The session holds no answer of the model yet.',
  reverted: 'The session was reverted to an earlier message.',
  ids: 'The ids of the session are not made as in the releases that yoke knows.',
}

/**
 * Trims by what OpenCode itself offers: exports the session, imports what is to stay under a new id, and reads it back. The old
 * session stays, in a run until the new one has been worked in, its export for good: it is the backup. An import is not transactional
 * and may end well without having stored anything (1.18.33), so only what was read back counts.
 */
export const trimSession = async (request: SessionTrim): Promise<SessionTrimmed> =>
  trimAgainst(request, await knownFormats('opencode', request.env))

/** The same, guarded by other formats than those that yoke knows: a rehearsal finds out whether a release deserves its name. */
export const trimAgainst = (request: SessionTrim, formats: readonly FormatTerms[]): Promise<SessionTrimmed> =>
  orRefused(async () => {
    const { session, backup } = request
    const cli = cliOf(request)
    await mkdir(dirname(backup), { recursive: true })
    const left = await endCutOff(cli, backup)
    // The session names the release that began it, not the one that goes on with it.
    const [before, installed] = await Promise.all([
      exportSession(cli, session, `${backup}.partial`),
      installedRelease(cli, `${backup}.version`),
    ])
    if ('reason' in before) return refused(before.code, before.reason)
    return withLeft(left, await trim({ ...before, installed }, request, formats))
  })

/** A stored session, and the release that goes on with it. */
export type OpenedSession = Exported & { readonly installed: string | undefined }

/** The same of a session that was exported just now, because somebody named it. */
export const trimOpened = (before: OpenedSession, request: SessionTrim): Promise<SessionTrimmed> =>
  orRefused(async () => {
    const formats = await knownFormats('opencode', request.env)
    if (onlyLooks(request)) return trim(before, request, formats)
    await mkdir(dirname(request.backup), { recursive: true })
    const release = await lockSession(request.backup)
    if (typeof release === 'number') return heldByYoke(release)
    try {
      const left = await endCutOff(cliOf(request), request.backup)
      return withLeft(left, await trim(before, request, formats))
    } finally {
      release()
    }
  })

const withLeft = (left: readonly string[], result: SessionTrimmed): SessionTrimmed => {
  const all = [...left, ...(result.left ?? [])]
  return all.length === 0 ? result : { ...result, left: all }
}

const orRefused = async (work: () => Promise<SessionTrimmed>): Promise<SessionTrimmed> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return 'code' in error
      ? refused('io', `The session could not be trimmed: ${error.message}.`)
      : refused('internal', `yoke itself failed at this session: ${error.message}.`)
  }
}

const cliOf = ({ program, cwd, env, launch = (command) => command }: SessionTrim): Cli => ({
  program,
  cwd,
  env,
  launch,
})

const trim = async (
  { text, json, session, installed }: OpenedSession,
  request: SessionTrim,
  formats: readonly FormatTerms[],
): Promise<SessionTrimmed> => {
  // Also of one that is refused: a rehearsal learns its format from there.
  if (typeof session !== 'string' && !onlyLooks(request)) await atomicWrite(request.backup, text, privately)
  const drift = sessionDrift(json, formats, { strict: request.drift === 'strict', installed })
  if (drift.verdict === 'breaking') return { ...refused('drift', `${refusalText(drift)}.`), drift }
  if (typeof session === 'string') return refused('drift', foreign(session))
  return { ...(await trimKnown(session, request)), drift }
}

/** Of a session in which yoke cannot read what it needs. */
export const foreign = (what: string): string =>
  `The session is in a format that yoke does not know: ${what}.`

const trimKnown = async (before: Session, request: SessionTrim): Promise<SessionTrimmed> => {
  const plan = planTrim(before, request, mintIds(randomBytes))
  if (typeof plan === 'string') return refused(plan, faultReasons[plan])
  const { session: planned, report, changes } = plan
  if (!changes && request.out === undefined) return { status: 'unchanged', report }
  const reason = request.decline?.(report)
  if (reason !== undefined) return refused('declined', reason)
  const faults = faultsOf(planned)
  if (faults.length > 0)
    return refused('unverified', `The trimmed session would be wrong: ${faults.join('; ')}.`)
  if (request.dryRun) return { status: 'planned', report }
  if (request.out !== undefined) return writeOut(request.out, Buffer.from(plan.text), report)

  const cli = cliOf(request)
  const failure = await store(cli, planned, plan.text, request)
  if (failure !== undefined) return failure
  const left = request.isOfRun ? await forgetOthers(cli, request, planned.info.id) : []
  return withLeft(left, { status: 'applied', report, newSession: planned.info.id })
}

/** What was said is for nobody else. */
const privately = 0o600

/**
 * Imports a session and reads it back; what went wrong, with the half session that it left taken away again. What is imported and where
 * it comes from is written down before: a kill at any instant leaves nothing in the store that yoke does not know of.
 */
const store = async (
  cli: Cli,
  planned: Session,
  text: string,
  { session, backup }: SessionTrim,
): Promise<SessionTrimmed | undefined> => {
  const { id } = planned.info
  const files = importFiles(backup)
  try {
    noteImport(backup)
    await Promise.all([
      atomicWrite(files.session, text, privately),
      atomicWrite(originFile(dirname(backup), id), session),
    ])
    // An import puts the session into the project of the folder that it is run in.
    const failure = await runCli(cli, ['import', files.session], files.log, (pid) => noteImport(backup, pid))
    const found = failure === undefined ? await exportSession(cli, id, files.log) : undefined
    const stored = found !== undefined && 'session' in found ? found.session : ''
    if (typeof stored !== 'string' && isSame(planned, stored)) return undefined
    await deleteSession(cli, id, backup)
    return failure === undefined
      ? refused('unverified', 'OpenCode did not store the trimmed session as it was given.')
      : refused('import', `OpenCode could not import the trimmed session: ${failure}.`)
  } finally {
    await Promise.all(Object.values(files).map((each) => rm(each, { force: true })))
  }
}

/**
 * Takes away the session that this one was trimmed from, since this one has been worked in (its export stays as its backup), and what
 * trims of it have made that were cut off: the run knows nothing of these. Who comes from whom stands beside the backups. Resolves to
 * those that are left because somebody has gone on with them.
 */
const forgetOthers = async (
  cli: Cli,
  { session, backup }: SessionTrim,
  next: string,
): Promise<readonly string[]> => {
  const folder = dirname(backup)
  const own = originFile(folder, session)
  const predecessor = await readFile(own, 'utf8').catch(() => undefined)
  const cutOff = (await trimmedTo(folder, session)).filter((id) => id !== next)
  const left: string[] = []
  for (const id of [...(predecessor === undefined ? [] : [predecessor]), ...cutOff])
    if ((await takeAway(cli, id, backup)) === 'kept') left.push(id)
  await rm(own, { force: true })
  return left
}
