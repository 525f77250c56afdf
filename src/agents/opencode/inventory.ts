import type { InventoryRow } from '../../transcript/inventory.ts'
import type { SessionInventory } from '../named-session.ts'
import { conversationOf, partTokens } from './conversation.ts'
import { labelOf, liveTokens } from './report.ts'
import type { Session } from './session-schema.ts'

/** What is in an exported session: a record is a part of a message, or what stands beside the parts. */
export const takeInventory = (session: Session): SessionInventory => {
  const { info, messages } = session
  const parts = messages.flatMap((message) => message.parts)
  const records = [
    { type: 'session', json: info, tokens: 0 },
    ...messages.map((message) => ({ type: `message:${message.info.role}`, json: message.info, tokens: 0 })),
    ...parts.map((part) => ({ type: labelOf(part), json: part, tokens: partTokens(part) })),
  ]
  const rows = new Map<string, InventoryRow>()
  for (const { type, json, tokens } of records) {
    const row = rows.get(type) ?? { type, records: 0, bytes: 0, tokens: 0 }
    rows.set(type, {
      type,
      records: row.records + 1,
      bytes: row.bytes + Buffer.byteLength(JSON.stringify(json)),
      tokens: row.tokens + tokens,
    })
  }
  const reads = new Map<string, number>()
  for (const entry of conversationOf(messages, info.directory).entries)
    for (const block of entry.kind === 'answer' ? entry.blocks : [])
      if (block.kind === 'tool-use' && block.read !== undefined)
        reads.set(block.read.path, (reads.get(block.read.path) ?? 0) + 1)
  return {
    rows: [...rows.values()].sort((a, b) => b.bytes - a.bytes),
    bytes: Buffer.byteLength(JSON.stringify(session)),
    versions: info.version ? [info.version] : [],
    liveTokens: liveTokens(messages),
    damage: [],
    unpaired: parts.flatMap(({ type, state, callID, id }) =>
      type === 'tool' && state?.status !== 'completed' && state?.status !== 'error' ? [callID ?? id] : [],
    ),
    reads: [...reads].map(([path, times]) => ({ path, times })),
  }
}
