const pattern =
  /^(?:(?<d>\d+(?:\.\d+)?)\s*d)?\s*(?:(?<h>\d+(?:\.\d+)?)\s*h)?\s*(?:(?<m>\d+(?:\.\d+)?)\s*m(?!s))?\s*(?:(?<s>\d+(?:\.\d+)?)\s*s)?\s*(?:(?<ms>\d+)\s*ms)?$/

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const

/**
 * Milliseconds of a duration: `90s`, `30m`, `2h`, `1h30m`, `1.5h`, `1d`, `500ms`; a plain number is seconds.
 * Units stand from the largest to the smallest, each once. Undefined when the text is no duration.
 */
export const parseDuration = (value: string | number): number | undefined => {
  const text = String(value).trim().toLowerCase()
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000)
  const groups = text === '' ? undefined : pattern.exec(text)?.groups
  if (groups === undefined) return undefined
  const ms = Object.entries(unitMs).reduce(
    (sum, [unit, length]) => sum + Number(groups[unit] ?? 0) * length,
    0,
  )
  return Math.round(ms)
}
