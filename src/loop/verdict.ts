import type { Verdict } from '../events.ts'

const line = /^\W*VERDICT\W+(done|continue|blocked)\b\W*(.*)$/i

/**
 * The verdict in a judge's free text, for agents without structured output: the last `VERDICT: done|continue|blocked`
 * line counts (§4.2), what stands behind it on the line is the reason. Undefined when there is none.
 */
export const verdictFromText = (text: string): Verdict | undefined => {
  const found = text
    .split('\n')
    .map((each) => line.exec(each))
    .filter((match) => match !== null)
    .at(-1)
  const word = found?.[1]?.toLowerCase()
  if (word !== 'done' && word !== 'continue' && word !== 'blocked') return undefined
  const reason = found?.[2]?.trim()
  return { verdict: word, reasons: reason ? [reason] : [], next: '' }
}
