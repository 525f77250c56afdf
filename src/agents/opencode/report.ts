import { isKnownPart } from '../../drift/opencode/dispositions.ts'
import type { Read } from '../../transcript/reads.ts'
import type { DroppedPath, KeptPath, TrimReport } from '../../transcript/report.ts'
import { partTokens } from './conversation.ts'
import type { Message, Part, Session } from './session-schema.ts'

export type KeptRead = { readonly read: Read; readonly isRefreshed: boolean }

/** What a trim of an OpenCode session did, in the words of all trims: a record is a part of a message. */
export const reportOf = (trimmed: {
  readonly before: Session
  readonly after: Session
  readonly kept: readonly KeptRead[]
  readonly dropped: readonly DroppedPath[]
  readonly unmatched: readonly string[]
  readonly bytes: { readonly before: number; readonly after: number }
}): TrimReport => {
  const { before, after, kept, dropped, unmatched, bytes } = trimmed
  const [all, left] = [countsOf(before), countsOf(after)]
  const gone = [...all]
    .map(([label, count]) => [label, count - (left.get(label) ?? 0)] as const)
    .filter(([, count]) => count > 0)
  const firstAnswer = after.messages.findIndex(({ info }) => info.role === 'assistant')
  return {
    records: { kept: Object.fromEntries(left), dropped: Object.fromEntries(gone) },
    paths: pathsOf(kept),
    dropped,
    unmatched,
    bytes,
    tokens: {
      before: liveTokens(before.messages),
      after: tokensOf(after.messages),
      head: tokensOf(after.messages.slice(0, firstAnswer)),
    },
    damage: [],
    unknown: [...all].filter(([name]) => !isKnown(name)).map(([name, count]) => ({ name, count })),
  }
}

/** What a part is counted as. */
export const labelOf = (part: Part): string => (part.type === 'tool' ? `tool:${part.tool}` : part.type)

const isKnown = (label: string): boolean => label.startsWith('tool:') || isKnownPart(`assistant/${label}`)

const countsOf = ({ messages }: Session): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const part of messages.flatMap(({ parts }) => parts))
    counts.set(labelOf(part), (counts.get(labelOf(part)) ?? 0) + 1)
  return counts
}

/** A compaction hides what came before it. */
const live = (messages: readonly Message[]): readonly Message[] =>
  messages.slice(
    Math.max(
      0,
      messages.findLastIndex(({ info }) => info.summary === true),
    ),
  )

/** What the messages come to in a request, estimated. */
export const liveTokens = (messages: readonly Message[]): number => tokensOf(live(messages))

const tokensOf = (messages: readonly Message[]): number =>
  messages.flatMap(({ parts }) => parts).reduce((sum, part) => sum + partTokens(part), 0)

const pathsOf = (kept: readonly KeptRead[]): readonly KeptPath[] =>
  [...new Set(kept.map(({ read }) => read.path))].map((path) => {
    const own = kept.filter(({ read }) => read.path === path)
    return {
      path,
      ranges: own.map(({ read: { offset = 1, limit } }) => ({
        offset,
        ...(limit === undefined ? {} : { limit }),
      })),
      tokens: own.reduce((sum, { read }) => sum + read.tokens, 0),
      state: own.some(({ isRefreshed }) => isRefreshed) ? 'refreshed' : 'fresh',
    }
  })
