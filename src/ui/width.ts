import stringWidth from 'string-width'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The columns that a text takes on a terminal: wide characters take two, escape sequences none. */
export const widthOf = (text: string): number => stringWidth(text)

/** A text without escape sequences, cut to so many columns; an ellipsis says that something is missing. */
export const fit = (text: string, columns: number): string => {
  if (columns <= 0) return ''
  if (widthOf(text) <= columns) return text
  let width = 0
  let cut = ''
  for (const { segment } of graphemes.segment(text)) {
    width += widthOf(segment)
    if (width > columns - 1) break
    cut += segment
  }
  return `${cut}…`
}
