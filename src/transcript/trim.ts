import { realpathSync } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type CommitStep, commit, replaceWhole, writeNew } from './commit.ts'
import { estimateTokens } from './estimate.ts'
import { keepMatcher } from './keep-paths.ts'
import { liveHolder } from './live.ts'
import { chooseReads, newestHalf, type Read } from './reads.ts'
import { parseRecord } from './record.ts'
import { type Relinked, relink } from './relink.ts'
import type { TrimReport } from './report.ts'
import { type Scan, scan } from './scan.ts'
import { type KeptRead, type PlanFault, select } from './select.ts'
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
  /** Write the trimmed session there, and leave the file as it is. */
  readonly out?: string
  /** Told of each step of the commit. */
  readonly onStep?: (step: CommitStep) => void
}

export type TrimRefusal =
  | 'missing'
  | 'empty'
  | 'backup'
  | 'live'
  | 'changed'
  | 'unverified'
  | 'io'
  | PlanFault

export type TrimResult =
  | { readonly status: 'applied' | 'planned' | 'unchanged'; readonly report: TrimReport }
  /** The file is untouched. */
  | { readonly status: 'refused'; readonly code: TrimRefusal; readonly reason: string }

const refused = (code: TrimRefusal, reason: string): TrimResult => ({ status: 'refused', code, reason })

/** Cuts a stored session down to its beginning, the files in `keep` and the last words of the model. */
export const trim = async (request: TrimRequest): Promise<TrimResult> => {
  if (request.backup.endsWith('.jsonl'))
    return refused(
      'backup',
      `The backup ${request.backup} would be taken for a session: it must not end in .jsonl.`,
    )
  try {
    const file = await realpath(request.file)
    const handle = await open(file, 'r')
    try {
      return await trimOpen({ ...request, file }, handle)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    if (error.code === 'ENOENT') return refused('missing', `There is no session file ${request.file}.`)
    return refused('io', `The session file could not be trimmed: ${error.message}.`)
  }
}

/** Puts the backup back in place of the session, whole, with its mode. */
export const restore = async (file: string, backup: string): Promise<void> =>
  replaceWhole(await realpath(file).catch(() => file), backup)

const trimOpen = async (request: TrimRequest, handle: FileHandle): Promise<TrimResult> => {
  const source = await handle.stat()
  const holder = await holderOf(request)
  if (holder !== undefined) return heldBy(holder)
  const match = keepMatcher(request.keep, request.cwd, realPathOf)
  const found = await scan(handle, { cwd: request.cwd, wants: ({ path }) => match(path).length > 0 })
  if (found.counts.size === 0) return refused('empty', `The session file ${request.file} holds no records.`)
  const chosen = chooseReads(found.entries, found.chain, request.keep, match, realPathOf)
  const wanted = request.harder ? newestHalf(chosen.reads) : chosen.reads
  const { kept, dropped } = await judgeAll(wanted, found, handle, request.staleReads)
  const plan = select(found, kept)
  if (plan === 'no-answer')
    return refused(plan, 'The session holds no answer of the model yet: there is nothing to trim.')
  if (plan === 'no-prompt') return refused(plan, 'The session holds no prompt: it is not a conversation.')

  const bytesBySource = new Map(
    await Promise.all(plan.map(async (item) => [item, await readSource(handle, item.source)] as const)),
  )
  const lines = relink(plan, (item) => bytesBySource.get(item) ?? Buffer.alloc(0))
  const bytes = Buffer.concat(lines.flatMap((line) => [line.bytes, Buffer.from('\n')]))
  const records = lines.filter(({ planned }) => planned.do !== 'note').length
  const faults = verify(bytes, {
    reads: kept.map((read) => ({ path: read.path, ...(read.kind === 'pair' ? { id: read.id } : {}) })),
    records,
  })
  if (faults.length > 0)
    return refused(
      'unverified',
      `The trimmed session would be wrong: ${faults.map(({ what }) => what).join('; ')}.`,
    )

  const room = chosen.reads.filter((read) => !wanted.includes(read))
  const report = reportOf(
    found,
    lines,
    kept,
    [...dropped, ...room.map(({ path }) => ({ path, reason: 'to make room' as const }))],
    chosen.unmatched,
    bytes.length,
  )
  if (
    bytes.length === source.size &&
    bytes.equals(await readSource(handle, { offset: 0, length: source.size }))
  )
    return { status: 'unchanged', report }
  if (request.dryRun) return { status: 'planned', report }
  if (request.out !== undefined) {
    await writeNew(request.out, bytes)
    return { status: 'applied', report }
  }
  const mayWrite = async () => (await holderOf(request)) === undefined
  const step = request.onStep === undefined ? {} : { onStep: request.onStep }
  const done = await commit({ file: request.file, backup: request.backup, bytes, source, mayWrite, ...step })
  return done
    ? { status: 'applied', report }
    : refused('changed', 'The session file was written to while it was trimmed: another CLI works on it.')
}

const holderOf = async ({ liveSessions, file }: TrimRequest) =>
  liveSessions === undefined ? undefined : liveHolder(liveSessions, basename(file, '.jsonl'))

const heldBy = (pid: number) => refused('live', `The session is in use by a running CLI (pid ${pid}).`)

/** As far as the path exists; the rest is taken as it stands. */
const realPathOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPathOf(parent), basename(path))
  }
}

const readSource = async (
  handle: FileHandle,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafe(length)
  const { bytesRead } = await handle.read(bytes, 0, length, offset)
  return bytes.subarray(0, bytesRead)
}

const judgeAll = async (
  reads: readonly Read[],
  { entries }: Scan,
  handle: FileHandle,
  policy: 'refresh' | 'drop',
) => {
  const kept: KeptRead[] = []
  const dropped: { path: string; reason: TrimReport['dropped'][number]['reason'] }[] = []
  for (const read of reads) {
    const source = entries.find(({ at }) => at === read.at)?.source
    const record = source && parseRecord(await readSource(handle, source))
    if (record === undefined) throw new Error(`the result of ${read.path} can no longer be read`)
    const judgement = await judgeRead(read, record, policy)
    if (judgement.state === 'dropped') dropped.push({ path: read.path, reason: judgement.reason })
    else
      kept.push({
        ...read,
        mtimeMs: judgement.mtimeMs,
        ...(judgement.state === 'refreshed' ? { now: judgement.now } : {}),
      })
  }
  return { kept, dropped }
}

const reportOf = (
  found: Scan,
  lines: readonly Relinked[],
  kept: readonly KeptRead[],
  dropped: TrimReport['dropped'],
  unmatched: readonly string[],
  after: number,
): TrimReport => {
  const keptCounts = new Map<string, number>()
  let tokensAfter = 0
  for (const { planned, bytes } of lines) {
    const record = parseRecord(bytes)
    if (record === undefined) continue
    const label = planned.do === 'record' ? planned.entry.label : record.type
    keptCounts.set(label, (keptCounts.get(label) ?? 0) + 1)
    tokensAfter += estimateTokens(record)
  }
  const droppedCounts = [...found.counts].map(
    ([label, total]) => [label, total - (keptCounts.get(label) ?? 0)] as const,
  )
  return {
    records: {
      kept: Object.fromEntries(keptCounts),
      dropped: Object.fromEntries(droppedCounts.filter(([, number]) => number > 0)),
    },
    paths: pathsOf(kept),
    dropped,
    unmatched,
    bytes: { before: found.bytes, after },
    tokens: { before: found.chain.tokens, after: tokensAfter },
    damage: found.damage,
    unknown: [...found.unknown].map(([name, count]) => ({ name, count })),
  }
}

const pathsOf = (kept: readonly KeptRead[]): TrimReport['paths'] =>
  [...new Set(kept.map(({ path }) => path))].map((path) => {
    const reads = kept.filter((read) => read.path === path)
    return {
      path,
      ranges: reads.map(({ offset = 1, limit }) => ({ offset, ...(limit === undefined ? {} : { limit }) })),
      tokens: reads.reduce((sum, { tokens }) => sum + tokens, 0),
      state: reads.some(({ now }) => now !== undefined) ? 'refreshed' : 'fresh',
    }
  })
