import { keepMatcher } from '../../transcript/keep-paths.ts'
import { chooseReads, newestHalf } from '../../transcript/reads.ts'
import { realPathOf } from '../../transcript/real-path.ts'
import type { DroppedPath, TrimReport } from '../../transcript/report.ts'
import type { SessionTrim } from '../agent.ts'
import { conversationOf } from './conversation.ts'
import type { Mint } from './ids.ts'
import { type KeptRead, reportOf } from './report.ts'
import { type KeptCall, type PlanFault, select } from './select.ts'
import type { Session } from './session-schema.ts'
import { judgeRead } from './stale.ts'

/** What a trim would store, before anything is stored. */
export type TrimPlan = {
  readonly session: Session
  /** The same as the text that an import takes. */
  readonly text: string
  readonly report: TrimReport
  /** Whether the session would be another one than it is. */
  readonly changes: boolean
}

type Wishes = Pick<SessionTrim, 'keep' | 'cwd' | 'harder' | 'staleReads'>

/** Plans the trim of an exported session by the files that are there now. */
export const planTrim = (before: Session, wishes: Wishes, mint: Mint): TrimPlan | PlanFault => {
  const { kept, dropped, unmatched } = choose(before, wishes)
  const calls = kept.map(({ call }) => call)
  const session = select(before, calls, mint)
  if (typeof session === 'string') return session
  const text = JSON.stringify(session)
  const report = reportOf({
    ...{ before, after: session, kept, dropped, unmatched },
    // An export is printed with spaces, which are not stored.
    bytes: { before: Buffer.byteLength(JSON.stringify(before)), after: Buffer.byteLength(text) },
  })
  const changes =
    Object.keys(report.records.dropped).length > 0 || kept.some(({ isRefreshed }) => isRefreshed)
  return { session, text, report, changes }
}

type Choice = KeptRead & { readonly call: KeptCall }

/** The newest content of each kept file that is still true, or can be made so. */
const choose = (session: Session, { keep, cwd, harder, staleReads }: Wishes) => {
  const { entries, calls } = conversationOf(session.messages, cwd)
  const match = keepMatcher(keep, cwd, realPathOf)
  const all = { isLive: () => true, firstAnswer: 0, tokens: 0, damage: [] }
  const { reads, unmatched } = chooseReads(entries, all, keep, match, realPathOf)
  const wanted = harder ? newestHalf(reads) : reads
  const kept: Choice[] = []
  const dropped: DroppedPath[] = reads
    .filter((read) => !wanted.includes(read))
    .map(({ path }) => ({ path, reason: 'to make room' }))
  for (const read of wanted) {
    const call = calls.get(read.at)
    if (call === undefined) throw new Error(`the result of ${read.path} can no longer be found`)
    const judged = judgeRead(read, call.part, staleReads)
    if (judged.state === 'dropped') dropped.push({ path: read.path, reason: judged.reason })
    else
      kept.push({
        read,
        isRefreshed: judged.state === 'refreshed',
        call: { ...call, ...(judged.state === 'refreshed' ? { now: judged.now } : {}) },
      })
  }
  return { kept, dropped, unmatched }
}
