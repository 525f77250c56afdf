import { type Damage, damageList } from './damage.ts'
import { recentKeys } from './recent-keys.ts'

/** The parent of a record: the hashes of its uuid, or what stands in place of one. */
export type Parent = 'uuid' | 'root' | 'none'

/** A record of the conversation, as far as the chain goes. */
export type Link = {
  hasUuid: boolean
  low: number
  high: number
  parent: Parent
  parentLow: number
  parentHigh: number
  tokens: number
  /** An answer of the model, no error message. */
  isAnswer: boolean
  isBoundary: boolean
  /** Progress records fork the chain (anthropics/claude-code#35024): none is the end of it. */
  isProgress: boolean
  /** Results of tools alone: those of parallel uses are side branches, and part of the request (anthropics/claude-code#31328). */
  isResults: boolean
}

/** Records from `start` on, each the parent of the next. */
type Run = {
  readonly start: number
  /** The record before the first one; -1: it is a root. */
  readonly parent: number
  /** Tokens of all records of the file before `start`, and up to and with the parent. */
  readonly tokensBefore: number
  readonly tokensAtParent: number
  /** Of this run, -1 when there is none yet. */
  firstAnswer: number
  /** An answer stands before this run in its chain. */
  readonly isAnswered: boolean
  readonly isBoundary: boolean
  readonly damage?: Damage
  /** It holds results alone. */
  hasOnlyResults: boolean
}

/** The part of a session that the next request would be made of. */
export type LiveChain = {
  readonly isLive: (at: number) => boolean
  /** The first answer in it, -1 when there is none. */
  readonly firstAnswer: number
  /** Estimated, from the last compaction on. */
  readonly tokens: number
  readonly damage: readonly Damage[]
}

/**
 * Takes the records of a conversation one after the other and finds the chain that ends in the last one. Memory grows with
 * the branches, not with the records: a record whose parent is the one before it in the file adds nothing.
 *
 * Where a parent is missing, is the record itself or comes later, the chain goes on with the record that stands before it in
 * the file, as the CLI does since 2.1.91 (anthropics/claude-code#45286, #58554); so no cycle can arise. It passes the boundary
 * of a compaction, because records before it may be preserved; `logicalParentUuid` is never followed (#40027).
 */
export const chainLinks = (mostRecords: number) => {
  const keys = recentKeys(mostRecords)
  const runs: Run[] = []
  const damage = damageList()
  let count = 0
  let total = 0
  let leaf = -1
  let leafTotal = 0
  let lastLow = 0
  let lastHigh = 0
  let lastHasUuid = false

  /** Returns the position of the record in the conversation. */
  const add = (link: Link, line: number): number => {
    const at = count
    const followsLast =
      link.parent === 'uuid' &&
      lastHasUuid &&
      link.parentLow === lastLow &&
      link.parentHigh === lastHigh &&
      !link.isBoundary
    if (!followsLast) runs.push(startRun(link, at, line))
    const run = runs.at(-1)
    if (run !== undefined && link.isAnswer && run.firstAnswer === -1) run.firstAnswer = at
    if (run !== undefined && !link.isResults) run.hasOnlyResults = false
    count += 1
    total += link.tokens
    const isNew = link.hasUuid && keys.add(link.low, link.high, at, total)
    if (link.hasUuid && !isNew) damage.add(line, 'duplicate-uuid')
    lastHasUuid = isNew
    lastLow = link.low
    lastHigh = link.high
    if (!link.isProgress) {
      leaf = at
      leafTotal = total
    }
    return at
  }

  const startRun = (link: Link, at: number, line: number): Run => {
    const common = {
      start: at,
      tokensBefore: total,
      firstAnswer: -1,
      isBoundary: link.isBoundary,
      hasOnlyResults: true,
    }
    if (link.parent === 'root' && !link.isBoundary)
      return { ...common, parent: -1, tokensAtParent: 0, isAnswered: false }
    const slot = link.parent === 'uuid' ? keys.find(link.parentLow, link.parentHigh) : -1
    if (slot !== -1) {
      const parent = keys.indexAt(slot)
      return { ...common, parent, tokensAtParent: keys.totalAt(slot), isAnswered: isAnswered(parent) }
    }
    const isSelf = link.hasUuid && link.parentLow === link.low && link.parentHigh === link.high
    const kind = link.parent === 'uuid' && isSelf ? 'self-parent' : 'missing-parent'
    const bridged = { ...common, parent: at - 1, tokensAtParent: total, isAnswered: isAnswered(at - 1) }
    return link.isBoundary || at === 0 ? bridged : { ...bridged, damage: { line, kind, outcome: 'mended' } }
  }

  const runOf = (at: number): number => {
    let low = 0
    let high = runs.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((runs[middle]?.start ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return low
  }

  const isAnswered = (at: number): boolean => {
    const run = at < 0 ? undefined : runs[runOf(at)]
    return run !== undefined && (run.isAnswered || (run.firstAnswer !== -1 && run.firstAnswer <= at))
  }

  const walk = (): LiveChain => {
    const stretches: { readonly start: number; readonly end: number }[] = []
    let firstAnswer = -1
    let tokens = 0
    let isCounted = true
    let countedFrom = 0
    let end = leaf
    let endTotal = leafTotal
    while (end >= 0) {
      const run = runs[runOf(end)]
      if (run === undefined) break
      stretches.push({ start: run.start, end })
      if (run.damage !== undefined) damage.add(run.damage.line, run.damage.kind)
      if (run.firstAnswer !== -1 && run.firstAnswer <= end) firstAnswer = run.firstAnswer
      if (isCounted) {
        tokens += endTotal - run.tokensBefore
        countedFrom = run.start
      }
      isCounted &&= !run.isBoundary
      end = run.parent
      endTotal = run.tokensAtParent
    }
    stretches.reverse()
    const isLive = within(stretches)
    return { isLive, firstAnswer, tokens: tokens + besideTokens(isLive, countedFrom), damage: damage.found }
  }

  /** Tokens of the results that hang on the live chain without being in it, from a position on. */
  const besideTokens = (isLive: (at: number) => boolean, from: number): number =>
    runs.reduce((sum, run, index) => {
      if (!run.hasOnlyResults || run.parent < from || isLive(run.start) || !isLive(run.parent)) return sum
      return sum + (runs[index + 1]?.tokensBefore ?? total) - run.tokensBefore
    }, 0)

  /** Whether an answer stands before the next record, if that goes on with the last one. */
  const isAnsweredNow = () => {
    const run = runs.at(-1)
    return run !== undefined && (run.isAnswered || run.firstAnswer !== -1)
  }

  return { add, walk, isAnsweredNow }
}

const within = (stretches: readonly { readonly start: number; readonly end: number }[]) => (at: number) => {
  let low = 0
  let high = stretches.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((stretches[middle]?.start ?? 0) <= at) low = middle
    else high = middle - 1
  }
  const stretch = stretches[low]
  return stretch !== undefined && at >= stretch.start && at <= stretch.end
}
