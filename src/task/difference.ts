import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'

/** What a person sees at a glance between two texts: the lines that differ, with three lines around them; empty for the same text. */
export const differenceOf = (before: string, after: string): string =>
  before === after
    ? ''
    : formatPatch(structuredPatch('', '', before, after, '', '', { context: 3 }), OMIT_HEADERS)
