import type { TrimReport } from '../transcript/report.ts'
import { marks } from './rehearsal-script.ts'
import { messagesRequest, messageTexts, prefixBytes, toolResults, type WithBody } from './request-view.ts'

/** One thing that a rehearsal looked at; `found` is a sentence. */
export type Finding = { readonly id: FindingId; readonly ok: boolean; readonly found: string }

export type FindingId =
  | 'run'
  | 'session'
  | 'resume'
  | 'trim'
  | 'accepted'
  | 'kept'
  | 'dropped'
  | 'invented'
  | 'prefix'

/** What the request after the trim shows, beside the last one before it. */
export const lookAtRequest = (before: WithBody, after: WithBody, report: TrimReport): readonly Finding[] => [
  kept(after, report),
  dropped(after),
  invented(after),
  prefix(before, after),
]

const kept = (after: WithBody, report: TrimReport): Finding => {
  const results = [...toolResults(after).values()]
  const names = report.paths.map(({ path }) => path)
  const expected = [
    ...(names.some((name) => name.endsWith('alpha.txt')) ? [marks.alphaEdited] : []),
    ...(names.some((name) => name.endsWith('beta.txt')) ? [marks.beta] : []),
  ]
  const missing = expected.filter((mark) => !results.some((text) => text.includes(mark)))
  const lost = report.dropped.map(({ path, reason }) => `${path.split('/').at(-1)} (${reason})`)
  return {
    id: 'kept',
    ok: missing.length === 0 && expected.includes(marks.beta),
    found:
      missing.length > 0
        ? `The request lacks ${missing.map((mark) => `"${mark}"`).join(' and ')}.`
        : `Of 2 files the trim kept ${expected.length}, and the request shows them${lost.length > 0 ? `; dropped: ${lost.join(', ')}` : ''}.`,
  }
}

const dropped = (after: WithBody): Finding => {
  const text = JSON.stringify(messagesRequest(after).messages)
  const left = [marks.thinking, marks.said, marks.commandOutput, marks.written].filter((mark) =>
    text.includes(mark),
  )
  return {
    id: 'dropped',
    ok: left.length === 0,
    found:
      left.length === 0
        ? 'Nothing that was dropped is sent.'
        : `The request still holds ${left.map((mark) => `"${mark}"`).join(', ')}.`,
  }
}

/** Some releases put an answer of their own where they miss one. */
const invented = (after: WithBody): Finding => {
  const known: readonly string[] = [marks.last, marks.wentOn, marks.said]
  const own = messageTexts(after)
    .filter(({ role, text }) => role === 'assistant' && text.trim() !== '' && !known.includes(text.trim()))
    .map(({ text }) => text)
  const asked = messageTexts(after).filter(
    ({ role, text }) => role === 'user' && text.includes('Continue from where you left off'),
  )
  const found = [...own, ...asked.map(({ text }) => text)].map((text) => text.slice(0, 60))
  return {
    id: 'invented',
    ok: found.length === 0,
    found: found.length === 0 ? 'Nothing was invented.' : `The CLI put in ${JSON.stringify(found)}.`,
  }
}

const prefix = (before: WithBody, after: WithBody): Finding => {
  const cut = messagesRequest(before).messages.findIndex(({ role }) => role === 'assistant')
  const same = prefixBytes(before, cut) === prefixBytes(after, cut)
  return {
    id: 'prefix',
    ok: same,
    found: same
      ? 'Tools, system and first messages are byte for byte those of before the trim.'
      : 'Tools, system and first messages differ from those of before the trim: the cached prefix is lost.',
  }
}
