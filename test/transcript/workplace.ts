import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TrimRequest, type TrimResult, trim } from '../../src/transcript/trim.ts'
import type { Json } from '../helpers/session.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

/** A project, and a session file beside it, in a folder that goes with the test. */
export const workplace = async () => {
  const folder = await temporaryFolder()
  const cwd = join(folder, 'project')
  const file = join(folder, 'sessions', '11111111-1111-4111-8111-111111111111.jsonl')
  mkdirSync(cwd)
  mkdirSync(dirname(file))
  const write = (name: string, content: string | Buffer) => {
    const path = join(cwd, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return path
  }
  const run = (keep: readonly string[], more: Partial<TrimRequest> = {}): Promise<TrimResult> =>
    trim({ file, keep, cwd, staleReads: 'refresh', backup: join(folder, 'backup', 'session.bak'), ...more })
  return {
    folder,
    cwd,
    file,
    backup: join(folder, 'backup', 'session.bak'),
    path: (name: string) => join(cwd, name),
    write,
    store: (bytes: Buffer | string) => writeFileSync(file, bytes),
    bytes: () => readFileSync(file),
    records: () => recordsOf(readFileSync(file)),
    trim: run,
  }
}

export type Workplace = Awaited<ReturnType<typeof workplace>>

export const recordsOf = (bytes: Buffer): readonly Json[] =>
  bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line))

/** The conversation in short: `user: Do the task`, `attachment: date`, `assistant: use r1`, `user: result r1`. */
export const outline = (records: readonly Json[]): readonly string[] =>
  records.map((record) => {
    const message = record['message'] as { content: string | readonly Json[] } | undefined
    const attachment = record['attachment'] as { type: string } | undefined
    if (attachment !== undefined) return `attachment: ${attachment.type}`
    if (message === undefined) return String(record['type'])
    const { content } = message
    return `${record['type']}: ${typeof content === 'string' ? content : content.map(blockOutline).join(', ')}`
  })

const blockOutline = (block: Json): string => {
  if (block['type'] === 'tool_use') return `use ${block['id']}`
  if (block['type'] === 'tool_result') return `result ${block['tool_use_id']}`
  return block['type'] === 'text' ? String(block['text']) : String(block['type'])
}

/** The report of a trim that was not refused. */
export const reportOf = (result: TrimResult) => {
  if (result.status === 'refused') throw new Error(`refused: ${result.code}: ${result.reason}`)
  return result.report
}
