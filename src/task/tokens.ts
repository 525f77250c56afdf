const factor: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 }

/** A count of tokens: `120000`, `120_000`, `120k`, `1.5m`. Undefined when the text is no such count. */
export const parseTokens = (value: string | number): number | undefined => {
  const match = /^(\d[\d_]*(?:\.\d+)?)\s*([km]?)$/.exec(String(value).trim().toLowerCase())
  if (match === null) return undefined
  const count = Number(match[1]?.replaceAll('_', '')) * (factor[match[2] ?? ''] ?? Number.NaN)
  return Number.isFinite(count) ? Math.round(count) : undefined
}
