import type { SessionRecord } from './record.ts'

/** UTF-8 bytes a token, on average over English and code. */
const bytesPerToken = 4
/** A picture costs about (width x height) / 750 tokens, at most about this many. */
const tokensOfMedia = 1600

/**
 * About how many tokens a record adds to a request. Only what is sent counts: `message.content`, and of an attachment what it
 * is rendered to; the CLI's own copies (`toolUseResult`, snapshots) do not.
 */
export const estimateTokens = (record: SessionRecord): number => {
  if (record.type === 'attachment') return attachmentTokens(record)
  return record.message === undefined ? 0 : tokensOf(record.message.content)
}

const attachmentTokens = (record: SessionRecord): number => {
  if (record.attachment?.type === 'prompt_snapshot') return 0
  return tokensOf(record['rendered'] ?? record.attachment)
}

/** Tokens of any part of a request: its strings, and media at a flat rate. */
export const tokensOf = (value: unknown): number => Math.ceil(weigh(value) / bytesPerToken)

const weigh = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + weigh(each), 0)
  if (typeof value !== 'object' || value === null) return 1
  if ('source' in value && 'type' in value && (value.type === 'image' || value.type === 'document'))
    return tokensOfMedia * bytesPerToken
  return Object.values(value).reduce((sum: number, each) => sum + weigh(each), 0)
}
