import { open } from 'node:fs/promises'
import { exitCode, YokeError } from '../errors.ts'
import type { Damage } from './damage.ts'
import { estimateTokens } from './estimate.ts'
import { eachLine } from './lines.ts'
import { blocksOf, parseRecord, type SessionRecord } from './record.ts'
import { scan } from './scan.ts'

export type InventoryRow = {
  /** The record type; for attachments and system records with their subtype. */
  readonly type: string
  readonly records: number
  readonly bytes: number
  /** Estimated tokens that all its records would add to a request, were they all sent. */
  readonly tokens: number
}

/** What is in a session file. */
export type Inventory = {
  readonly rows: readonly InventoryRow[]
  readonly bytes: number
  readonly lines: number
  readonly longestLine: number
  /** Releases of the CLI that wrote it, in their order. */
  readonly versions: readonly string[]
  /** Estimated tokens of the conversation as it would be sent now. */
  readonly liveTokens: number
  readonly damage: readonly Damage[]
  /** Ids of tool uses without result and of results without use: a provider refuses either (anthropics/claude-code#39602). */
  readonly unpaired: readonly string[]
  /** Files whose content was read, and how often. */
  readonly reads: readonly { readonly path: string; readonly times: number }[]
}

/** Reads a session file line by line; it is never changed. Throws E_NO_SESSION (exit 2) for a file of another kind. */
export const takeInventory = async (file: string, cwd: string): Promise<Inventory> => {
  const handle = await open(file, 'r')
  try {
    const { chain, damage, noSession } = await scan(handle.fd, { cwd, wants: () => false })
    if (noSession !== undefined)
      throw new YokeError(
        'E_NO_SESSION',
        `${file} is no session of Claude Code: ${noSession}.`,
        'Name a session file, or the id of a session.',
        exitCode.usage,
      )
    const rows = new Map<string, { records: number; bytes: number; tokens: number }>()
    const versions = new Set<string>()
    const reads = new Map<string, number>()
    const uses = new Set<string>()
    const results = new Set<string>()
    let lines = 0
    let longestLine = 0
    await eachLine(handle.fd, (buffer, start, end) => {
      lines += 1
      longestLine = Math.max(longestLine, end - start)
      const record = parseRecord(buffer.subarray(start, end))
      const type = record === undefined ? 'not a record' : typeOf(record)
      const row = rows.get(type) ?? { records: 0, bytes: 0, tokens: 0 }
      rows.set(type, {
        records: row.records + 1,
        bytes: row.bytes + end - start + 1,
        tokens: row.tokens + (record === undefined ? 0 : estimateTokens(record)),
      })
      for (const { type, id, tool_use_id } of record === undefined ? [] : blocksOf(record)) {
        if (type === 'tool_use' && id !== undefined) uses.add(id)
        if (type === 'tool_result' && tool_use_id !== undefined) results.add(tool_use_id)
      }
      if (record?.version !== undefined) versions.add(record.version)
      for (const path of record === undefined ? [] : readPaths(record))
        reads.set(path, (reads.get(path) ?? 0) + 1)
    })
    return {
      rows: [...rows].map(([type, row]) => ({ type, ...row })).sort((a, b) => b.bytes - a.bytes),
      bytes: (await handle.stat()).size,
      lines,
      longestLine,
      versions: [...versions],
      liveTokens: chain.tokens,
      damage,
      unpaired: [...uses].filter((id) => !results.has(id)).concat([...results].filter((id) => !uses.has(id))),
      reads: [...reads].map(([path, times]) => ({ path, times })),
    }
  } finally {
    await handle.close()
  }
}

const typeOf = (record: SessionRecord): string => {
  const detail = record.attachment?.type ?? record.subtype
  return detail === undefined ? record.type : `${record.type}:${detail}`
}

const readPaths = ({ message }: SessionRecord): readonly string[] =>
  typeof message?.content !== 'object'
    ? []
    : message.content.flatMap(({ type, name, input }) =>
        type === 'tool_use' &&
        name === 'Read' &&
        typeof input === 'object' &&
        input !== null &&
        'file_path' in input
          ? [String(input.file_path)]
          : [],
      )
