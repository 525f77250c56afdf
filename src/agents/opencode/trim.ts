import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FormatTerms } from '../../drift/format.ts'
import { refusalText } from '../../drift/guard.ts'
import { knownFormats } from '../../drift/known-formats.ts'
import { sessionDrift } from '../../drift/opencode/guard.ts'
import { atomicWrite } from '../../system/atomic-write.ts'
import { processStart } from '../../system/process-start.ts'
import type { SessionTrim, SessionTrimmed } from '../agent.ts'
import { type Cli, installedRelease, killGroup, runCli } from './cli.ts'
import { mintIds } from './ids.ts'
import { planTrim } from './plan.ts'
import { originFile } from './restore.ts'
import type { PlanFault } from './select.ts'
import { parseSession, type Session } from './session-schema.ts'
import { findSessionFile } from './store.ts'
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
 * session stays until the new one has been worked in, its export for good: it is the backup. An import is not transactional and may
 * end well without having stored anything (1.18.33), so only what was read back counts.
 */
export const trimSession = async (request: SessionTrim): Promise<SessionTrimmed> =>
  trimAgainst(request, await knownFormats('opencode', request.env))

/** The same, guarded by other formats than those that yoke knows: a rehearsal finds out whether a release deserves its name. */
export const trimAgainst = async (
  request: SessionTrim,
  formats: readonly FormatTerms[],
): Promise<SessionTrimmed> => {
  try {
    await mkdir(dirname(request.backup), { recursive: true })
    return await trim(request, formats)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return 'code' in error
      ? refused('io', `The session could not be trimmed: ${error.message}.`)
      : refused('internal', `yoke itself failed at this session: ${error.message}.`)
  }
}

const trim = async (request: SessionTrim, formats: readonly FormatTerms[]): Promise<SessionTrimmed> => {
  const { session, program, cwd, env, backup, launch = (command) => command } = request
  const strict = request.drift === 'strict'
  const cli: Cli = { program, cwd, env, launch }
  await endImport(backup)
  // The session names the release that began it, not the one that goes on with it.
  const [before, installed] = await Promise.all([
    exported(cli, session, backup),
    installedRelease(cli, `${backup}.version`),
  ])
  if ('refusal' in before) return before.refusal
  const drift = sessionDrift(before.json, formats, { strict, installed })
  if (drift.verdict === 'breaking') return { ...refused('drift', `${refusalText(drift)}.`), drift }
  if (typeof before.session === 'string') return refused('drift', foreign(before.session))
  return { ...(await trimKnown({ ...before, session: before.session }, request, cli)), drift }
}

const foreign = (what: string): string => `The session is in a format that yoke does not know: ${what}.`

const trimKnown = async (
  before: { readonly session: Session; readonly bytes: number },
  request: SessionTrim,
  cli: Cli,
): Promise<SessionTrimmed> => {
  const plan = planTrim(before.session, before.bytes, request, mintIds(randomBytes))
  if (typeof plan === 'string') return refused(plan, faultReasons[plan])
  const { session: planned, text, report, changes } = plan
  if (!changes) return { status: 'unchanged', report }
  const reason = request.decline?.(report)
  if (reason !== undefined) return refused('declined', reason)
  const faults = faultsOf(planned)
  if (faults.length > 0)
    return refused('unverified', `The trimmed session would be wrong: ${faults.join('; ')}.`)

  const failure = await store(cli, planned, text, request)
  if (failure !== undefined) return failure
  await forgetOthers(cli, request, planned.info.id)
  return { status: 'applied', report, newSession: planned.info.id }
}

const missing = async (id: string, env: Cli['env']): Promise<string> => {
  const file = await findSessionFile(id, env)
  return file === undefined
    ? `OpenCode has no session ${id}.`
    : `OpenCode has no session ${id} in its database; it is in ${file}, where releases before 1.2 kept their sessions.`
}

type Exported =
  /** `session`: or what of it yoke cannot read. */
  | { readonly json: unknown; readonly session: Session | string; readonly bytes: number }
  | { readonly refusal: SessionTrimmed }

/** The stored session, with its export in `file`, whole or not at all. */
const exported = async (cli: Cli, id: string, file: string): Promise<Exported> => {
  const partial = `${file}.partial`
  try {
    const failure = await runCli(cli, ['export', id], partial)
    if (failure !== undefined)
      return {
        refusal: /not found/i.test(failure)
          ? refused('missing', await missing(id, cli.env))
          : refused('export', `OpenCode could not export the session: ${failure}.`),
      }
    const json = parseJson(await readFile(partial, 'utf8'))
    const { size } = await stat(partial)
    const session = parseSession(json)
    if (typeof session !== 'string') await rename(partial, file)
    return { json, session, bytes: size }
  } finally {
    await rm(partial, { force: true })
  }
}

/**
 * Imports a session and reads it back; what went wrong, with the half session that it left taken away again. Where the session comes from
 * is written down before: a kill at any instant leaves nothing in the store that yoke does not know of.
 */
const store = async (
  cli: Cli,
  planned: Session,
  text: string,
  { session, backup }: SessionTrim,
): Promise<SessionTrimmed | undefined> => {
  const { id } = planned.info
  const file = `${backup}.import.json`
  const log = `${file}.log`
  const origin = originFile(dirname(backup), id)
  try {
    await Promise.all([writeFile(file, text, { mode: 0o600 }), atomicWrite(origin, session)])
    // An import puts the session into the project of the folder that it is run in.
    const failure = await runCli(cli, ['import', file], log, (pid) =>
      writeFileSync(importFile(backup), `${pid} ${processStart(pid) ?? ''}`),
    )
    const found = failure === undefined ? await exported(cli, id, file) : undefined
    const stored = found !== undefined && 'session' in found ? found.session : ''
    if (typeof stored !== 'string' && isSame(planned, stored)) return undefined
    await runCli(cli, ['session', 'delete', id], log)
    await rm(origin, { force: true })
    return failure === undefined
      ? refused('unverified', 'OpenCode did not store the trimmed session as it was given.')
      : refused('import', `OpenCode could not import the trimmed session: ${failure}.`)
  } finally {
    await Promise.all([file, log, importFile(backup)].map((each) => rm(each, { force: true })))
  }
}

/** Beside the backup: the process of an import that is under way. */
const importFile = (backup: string): string => `${backup}.import.pid`

/** Ends the import of a trim whose yoke was killed: it would go on storing behind this one's back. */
const endImport = async (backup: string): Promise<void> => {
  const [pid, start] = (await readFile(importFile(backup), 'utf8').catch(() => '')).split(' ')
  if (pid && start && processStart(Number(pid)) === start) killGroup(Number(pid))
  await rm(importFile(backup), { force: true })
}

/**
 * Takes away the session that this one was trimmed from, since this one has been worked in (its export stays as its backup), and, in a
 * run, what trims of it have made that were cut off: the run knows nothing of these. Who comes from whom stands beside the backups.
 */
const forgetOthers = async (
  cli: Cli,
  { session, backup, isRepeated }: SessionTrim,
  next: string,
): Promise<void> => {
  const folder = dirname(backup)
  const log = `${backup}.log`
  const own = originFile(folder, session)
  const predecessor = await readFile(own, 'utf8').catch(() => undefined)
  if (predecessor !== undefined) {
    await runCli(cli, ['session', 'delete', predecessor], log)
    await rm(own, { force: true })
  }
  const cutOff = isRepeated === true ? (await trimmedTo(folder, session)).filter((id) => id !== next) : []
  for (const id of cutOff) {
    await runCli(cli, ['session', 'delete', id], log)
    await rm(originFile(folder, id), { force: true })
  }
  await rm(log, { force: true })
}

/** The sessions that a session was trimmed to. */
const trimmedTo = async (folder: string, session: string): Promise<readonly string[]> => {
  const ids = (await readdir(folder)).flatMap((name) => /^(ses_\w+)\.origin$/.exec(name)?.[1] ?? [])
  const origins = await Promise.all(ids.map((id) => readFile(originFile(folder, id), 'utf8').catch(() => '')))
  return ids.filter((_, index) => origins[index] === session)
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
