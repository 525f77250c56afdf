import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FormatTerms } from '../../drift/format.ts'
import { refusalText } from '../../drift/guard.ts'
import { knownFormats } from '../../drift/known-formats.ts'
import { sessionDrift } from '../../drift/opencode/guard.ts'
import type { SessionTrim, SessionTrimmed } from '../agent.ts'
import { type Cli, installedRelease, runCli } from './cli.ts'
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
  const { session, backup } = request
  const plan = await planTrim(before.session, before.bytes, request, mintIds(randomBytes))
  if (typeof plan === 'string') return refused(plan, faultReasons[plan])
  const { session: planned, text, report, changes } = plan
  if (!changes) return { status: 'unchanged', report }
  const reason = request.decline?.(report)
  if (reason !== undefined) return refused('declined', reason)
  const faults = faultsOf(planned)
  if (faults.length > 0)
    return refused('unverified', `The trimmed session would be wrong: ${faults.join('; ')}.`)

  const failure = await store(cli, planned, text, `${backup}.import.json`)
  if (failure !== undefined) return failure
  await forgetPredecessor(cli, session, planned.info.id, backup)
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

/** Imports a session and reads it back; what went wrong, with the half session that it left taken away again. */
const store = async (
  cli: Cli,
  planned: Session,
  text: string,
  file: string,
): Promise<SessionTrimmed | undefined> => {
  const { id } = planned.info
  const log = `${file}.log`
  try {
    await writeFile(file, text, { mode: 0o600 })
    // An import puts the session into the project of the folder that it is run in.
    const failure = await runCli(cli, ['import', file], log)
    const found = failure === undefined ? await exported(cli, id, file) : undefined
    const stored = found !== undefined && 'session' in found ? found.session : ''
    if (typeof stored !== 'string' && isSame(planned, stored)) return undefined
    await runCli(cli, ['session', 'delete', id], log)
    return failure === undefined
      ? refused('unverified', 'OpenCode did not store the trimmed session as it was given.')
      : refused('import', `OpenCode could not import the trimmed session: ${failure}.`)
  } finally {
    await Promise.all([file, log].map((each) => rm(each, { force: true })))
  }
}

/**
 * Takes away the session that this one was trimmed from: this one has been worked in since. Its export stays as its backup. What comes
 * next knows its predecessor by a file beside the backups.
 */
const forgetPredecessor = async (cli: Cli, session: string, next: string, backup: string): Promise<void> => {
  const note = (id: string): string => originFile(dirname(backup), id)
  const predecessor = await readFile(note(session), 'utf8').catch(() => undefined)
  if (predecessor !== undefined) {
    await runCli(cli, ['session', 'delete', predecessor], `${backup}.log`)
    await Promise.all([note(session), `${backup}.log`].map((each) => rm(each, { force: true })))
  }
  await writeFile(note(next), session)
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
