/** `950`, `12.3k`, `1.2M`. */
export const formatCount = (count: number): string => {
  if (count < 1000) return String(count)
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

/** `0.4s`, `12s`, `3m 05s`, `2h 04m`. */
export const formatDuration = (ms: number): string => {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`
  return `${Math.floor(seconds / 3600)}h ${pad(Math.floor((seconds % 3600) / 60))}m`
}

/** Time that runs, in whole seconds: `0s`, `12s`, `3m 05s`, `2h 04m`. */
export const formatClock = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return seconds < 10 ? `${seconds}s` : formatDuration(seconds * 1000)
}

/** `1 turn`, `2 turns`. */
export const formatMany = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** When something comes that is due so many iterations behind the newest one. */
export const formatAfter = (iterations: number): string =>
  iterations <= 0
    ? 'after this iteration'
    : iterations === 1
      ? 'after the next iteration'
      : `after ${iterations} more iterations`

const pad = (n: number): string => String(n).padStart(2, '0')

/** `$0.0042` below a cent, else `$1.23`. */
export const formatMoney = (usd: number): string =>
  `$${usd > 0 && usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`

/**
 * Text from a model, a tool or a file, safe for a terminal: control characters, which could move the cursor or rewrite
 * what stands above, and the invisible characters that turn the direction of text are shown as `�`.
 */
export const printable = (text: string): string => text.replace(unprintable, '�')

/** A value as JSON on one line, in which such characters are escaped: a program reads them back as they were. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The first line of a text, cut to a width, safe for a terminal. */
export const oneLine = (text: string, width: number): string => {
  const line = printable(text.trim().replace(/\s+/g, ' '))
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`
}

/** How much a commit changes. */
export const diffText = ({
  files,
  insertions,
  deletions,
}: {
  readonly files: number
  readonly insertions: number
  readonly deletions: number
}): string => `${formatMany(files, 'file')}, +${insertions} -${deletions}`
