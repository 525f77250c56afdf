import {
  attachmentRows,
  blockRows,
  bookkeepingRows,
  chainRows,
  type Row,
  systemRows,
} from '../transcript/dispositions.ts'

/** The row of a part in the table of dispositions; undefined for a part that has none. */
export const dispositionOf = (part: string): Row | undefined => {
  const [kind, name = ''] = part.split(':', 2)
  if (kind === 'attachment' && part.includes(':')) return own(attachmentRows, name)
  if (kind === 'system' && part.includes(':')) return own(systemRows, name)
  if (part.includes('/')) return own(blockRows, part)
  return own(chainRows, part) ?? own(bookkeepingRows, part)
}

const own = (rows: Readonly<Record<string, Row>>, key: string): Row | undefined =>
  Object.hasOwn(rows, key) ? rows[key] : undefined

/** Parts within a record that no disposition is needed for: the record has one. */
export const isInner = (part: string): boolean =>
  part === 'Read' || /^(?:user|assistant)\.(?:message|toolUseResult)/.test(part)

/** Parts that are known though no release was seen to write them: the table names them. */
export const isKnownPart = (part: string): boolean => isInner(part) || dispositionOf(part) !== undefined
