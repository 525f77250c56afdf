import { closeSync, existsSync, fstatSync, openSync, realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { YokeError } from '../errors.ts'
import { syncData } from '../system/atomic-write.ts'
import { errnoOf } from '../system/errno.ts'
import { type CommitStep, commit, removeLeftovers, replaceWhole, writeNew } from './commit.ts'
import { keepMatcher } from './keep-paths.ts'
import { liveHolder } from './live.ts'
import { chooseReads, newestHalf, type Read } from './reads.ts'
import { realPathOf } from './real-path.ts'
import { parseRecord } from './record.ts'
import { relink } from './relink.ts'
import { type DroppedPath, reportOf, type TrimReport } from './report.ts'
import { type Observer, type Scan, scan } from './scan.ts'
import { type KeptRead, type PlanFault, select } from './select.ts'
import { lockSession } from './session-lock.ts'
import { readStretch } from './source-bytes.ts'
import { judgeRead } from './stale.ts'
import { verify } from './verify.ts'

export type TrimRequest = {
  /** Absolute path of the session file. */
  readonly file: string
  /** KEEP entries: paths (absolute, or relative to `cwd`) and globs. */
  readonly keep: readonly string[]
  /** The project folder. */
  readonly cwd: string
  /** What to do with a kept Read whose file has changed. */
  readonly staleReads: 'refresh' | 'drop'
  /** Keep only the newest half of the reads, by tokens: the provider says that the context is full. */
  readonly harder?: boolean
  /** The CLI's registry of running sessions, `<config>/sessions`; absent: not checked. */
  readonly liveSessions?: string
  /** Absolute path of the backup; must not end in `.jsonl`, or the CLI takes it for a session. */
  readonly backup: string
  /** Write nothing. */
  readonly dryRun?: boolean
  /** Ends a trim that writes nothing. */
  readonly signal?: AbortSignal
  /** Write the trimmed session there, and leave the file as it is. */
  readonly out?: string
  /** Says why the session is to be left as it is, once it is known what the trim comes to. */
  readonly decline?: (report: TrimReport) => string | undefined
  /** Sees every line, and says in a sentence why the session must not be trimmed; `stays` tells whether a line would stay. */
  readonly guard?: Observer & { readonly refusal: (stays: (line: number) => boolean) => string | undefined }
  /** Told of each step of the commit. */
  readonly onStep?: (step: CommitStep) => void
}

export type TrimRefusal =
  /** There is no such file. */
  | 'missing'
  | 'empty'
  /** It is a file of another kind. */
  | 'no-session'
  /** The backup must not be where it would be taken for a session. */
  | 'backup'
  /** A running CLI holds the session. */
  | 'live'
  /** Another yoke trims it. */
  | 'locked'
  /** It is in a format that yoke does not know. */
  | 'drift'
  /** The caller's `decline` said so. */
  | 'declined'
  /** It was written to in the meantime. */
  | 'changed'
  /** The result would break a rule (`verify.ts`). */
  | 'unverified'
  /** A bug of yoke. */
  | 'internal'
  /** The system does not let us read or write: the disk is full, no permission. */
  | 'io'
  | PlanFault

export type TrimResult =
  | { readonly status: 'applied' | 'planned' | 'unchanged'; readonly report: TrimReport }
  /** The file is untouched. */
  | { readonly status: 'refused'; readonly code: TrimRefusal; readonly reason: string }

const refused = (code: TrimRefusal, reason: string): TrimResult => ({ status: 'refused', code, reason })

/** Cuts a stored session down to its beginning, the files in `keep` and the last words of the model. */
export const trim = async (request: TrimRequest): Promise<TrimResult> => {
  const { backup } = request
  if (backup.endsWith('.jsonl'))
    return refused('backup', `The backup ${backup} would be taken for a session: it must not end in .jsonl.`)
  try {
    const file = realpathSync(request.file)
    const release = onlyLooks(request) ? () => {} : await lockSession(file)
    if (typeof release === 'number') return heldByYoke(release)
    try {
      request.onStep?.('locked')
      if (!onlyLooks(request)) removeLeftovers(file)
      return await trimLocked({ ...request, file })
    } finally {
      release()
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // A bug of ours must not cost a night: the run goes on untrimmed, and says why.
    if (!('code' in error))
      return refused('internal', `yoke itself failed at this session: ${error.message}.`)
    if (error.code === 'ENOENT' && !existsSync(request.file))
      return refused('missing', `There is no session file ${request.file}.`)
    return refused('io', `The session could not be trimmed: ${error.message}.`)
  }
}

/** Puts the backup back in place of the session, whole. Throws E_NO_BACKUP when there is none. */
export const restore = async (file: string, backup: string): Promise<void> => {
  try {
    await replaceWhole(realPathOf(file), backup)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    throw new YokeError(
      'E_NO_BACKUP',
      `There is no backup ${backup}.`,
      'Name the session of a trim that was applied.',
    )
  }
}

/** The session itself is left as it is. */
export const onlyLooks = ({ dryRun, out }: Pick<TrimRequest, 'dryRun' | 'out'>): boolean =>
  dryRun === true || out !== undefined

export const heldByYoke = (pid: number): TrimResult =>
  refused('locked', `Another yoke (pid ${pid}) trims the session.`)

const trimLocked = async (request: TrimRequest): Promise<TrimResult> => {
  const descriptor = openSync(request.file, 'r')
  // The backup will be a link to it. Some systems sync only what is open for writing: what was read is whole either way.
  const synced = onlyLooks(request) ? undefined : syncData(descriptor).catch(() => undefined)
  try {
    return await trimOpen(request, descriptor, synced)
  } finally {
    // What is closed under a sync may be another file by then.
    await synced
    closeSync(descriptor)
  }
}

const trimOpen = async (
  request: TrimRequest,
  descriptor: number,
  synced: Promise<void> | undefined,
): Promise<TrimResult> => {
  const source = fstatSync(descriptor)
  const holder = holderOf(request)
  if (holder !== undefined) return refused('live', `A running CLI (pid ${holder}) holds the session.`)
  const made = await prepare(request, descriptor)
  if ('status' in made) return made
  const { bytes, report } = made
  const isSame =
    bytes.length === source.size && bytes.equals(readStretch(descriptor, { offset: 0, length: source.size }))
  if (isSame && request.out === undefined) return { status: 'unchanged', report }
  const reason = request.decline?.(report)
  if (reason !== undefined) return refused('declined', reason)
  if (request.dryRun) return { status: 'planned', report }
  if (request.out !== undefined) return writeOut(request.out, bytes, report)
  const { file, backup, onStep } = request
  await synced
  const mayWrite = () => holderOf(request) === undefined
  return (await commit({ file, backup, bytes, source, mayWrite, onStep }))
    ? { status: 'applied', report }
    : refused('changed', 'The session was written to while it was trimmed: another program works on it.')
}

/** Writes a trimmed session to a new file. */
export const writeOut = async (out: string, bytes: Buffer, report: TrimReport): Promise<TrimResult> => {
  try {
    await writeNew(out, bytes)
    return { status: 'applied', report }
  } catch (error) {
    const code = errnoOf(error)
    if (code === 'EEXIST') return refused('io', `There is a file ${out} already, which is not overwritten.`)
    if (code === 'ENOENT') return refused('io', `There is no folder ${dirname(out)} to write to.`)
    throw error
  }
}

const holderOf = ({ liveSessions, file }: TrimRequest) =>
  liveSessions === undefined ? undefined : liveHolder(liveSessions, basename(file, '.jsonl'))

/** The bytes of the trimmed session, verified. Only reads. */
const prepare = async (
  request: TrimRequest,
  descriptor: number,
): Promise<TrimResult | { readonly bytes: Buffer; readonly report: TrimReport }> => {
  const { keep, cwd } = request
  const match = keepMatcher(keep, cwd, realPathOf)
  const { guard } = request
  const found = await scan(descriptor, {
    cwd,
    wants: ({ path }) => match(path).length > 0,
    observer: guard,
    signal: request.signal,
  })
  const { reads, unmatched } = chooseReads(found.entries, found.chain, keep, match, realPathOf)
  const wanted = request.harder ? newestHalf(reads) : reads
  const { kept, dropped } = judgeAll(wanted, found, descriptor, request.staleReads, Date.now())
  const plan = select(found, kept)
  const staying = new Set(typeof plan === 'string' ? [] : plan.map(({ source }) => source.line))
  const drift = guard?.refusal((line) => staying.has(line))
  if (drift !== undefined) return refused('drift', drift)
  if (found.noSession !== undefined)
    return refused('no-session', `${request.file} is no session of Claude Code: ${found.noSession}.`)
  if (found.counts.size === 0) return refused('empty', 'The session file holds no records.')
  if (plan === 'no-answer') return refused(plan, 'The session holds no answer of the model yet.')
  if (plan === 'no-prompt') return refused(plan, 'The session holds no prompt: it is no conversation.')

  const sources = plan.map(({ source }) => readStretch(descriptor, source))
  const lines = relink(plan, sources)
  const bytes = Buffer.concat(lines.flatMap((line) => [line.bytes, Buffer.from('\n')]))
  const faults = verify(bytes, { lines, reads: kept })
  if (faults.length > 0)
    return refused(
      'unverified',
      `The trimmed session would be wrong: ${faults.map(({ what }) => what).join('; ')}.`,
    )

  const room = reads.filter((read) => !wanted.includes(read))
  const report = reportOf({
    scan: found,
    lines,
    kept,
    dropped: [...dropped, ...room.map(({ path }) => ({ path, reason: 'to make room' as const }))],
    unmatched,
    bytes: bytes.length,
  })
  return { bytes, report }
}

const judgeAll = (
  reads: readonly Read[],
  { entries }: Scan,
  descriptor: number,
  policy: 'refresh' | 'drop',
  now: number,
): { readonly kept: readonly KeptRead[]; readonly dropped: readonly DroppedPath[] } => {
  const kept: KeptRead[] = []
  const dropped: DroppedPath[] = []
  for (const read of reads) {
    const source = entries.find(({ at }) => at === read.at)?.source
    const record = source && parseRecord(readStretch(descriptor, source))
    if (record === undefined) throw new Error(`the result of ${read.path} can no longer be read`)
    const judged = judgeRead(read, record, policy)
    if (judged.state === 'dropped') dropped.push({ path: read.path, reason: judged.reason })
    else
      kept.push({
        ...read,
        notBefore: judged.mtimeMs <= now ? judged.mtimeMs : 0,
        ...(judged.state === 'refreshed' ? { now: judged.now } : {}),
      })
  }
  return { kept, dropped }
}
