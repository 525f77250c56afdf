import { exitCode, YokeError } from '../errors.ts'

/** The format of the files that this yoke writes: `.loop/`, the trust store and what was learnt. It grows when an older yoke could not read them. */
export const fileFormat = 1

/**
 * The format that a file names; one without a field is of the first yoke, whose files had none.
 * Throws E_NEWER_FORMAT, exit code 2, for what a newer yoke wrote: nobody knows what this one would lose of it.
 */
export const readableFormat = (value: unknown, file: string): number => {
  const format = typeof value === 'object' && value !== null && 'format' in value ? value.format : 0
  const found = typeof format === 'number' && Number.isInteger(format) && format >= 0 ? format : 0
  if (found <= fileFormat) return found
  throw new YokeError(
    'E_NEWER_FORMAT',
    `${file} was written by a newer yoke (format ${found}; this one reads up to ${fileFormat}).`,
    'Update yoke; the file is as it was.',
    exitCode.usage,
  )
}
