/**
 * The scoper's answer in its free text, for agents without structured output: the last fenced block that is a JSON object, else the
 * whole text. Undefined when there is none; whether it is a plan is for its schema to say (§4.3).
 */
export const jsonFromText = (text: string): unknown => {
  const blocks = [...text.matchAll(/^\s*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)^\s*\1\s*$/gm)].map(
    ([, , body = '']) => body,
  )
  return [text, ...blocks].map(parseObject).findLast((value) => value !== undefined)
}

const parseObject = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Equal for plans that differ only in case, punctuation or white space. */
export const digestOfPlan = (plan: string): string =>
  plan
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** One line for people: the title, or the first line of the plan. */
export const titleOf = ({ title, plan }: { readonly title: string; readonly plan: string }): string => {
  const line = [...title.split('\n'), ...plan.split('\n')]
    .map((each) => each.replace(/^[#\s]+/, '').trim())
    .find(Boolean)
  return (line ?? '').slice(0, 120)
}
