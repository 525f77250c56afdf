import * as v from 'valibot'
import { FileReferenceSchema } from './case.ts'

/** A part of the specification that cases can test: what goes in, what comes out, and yoke's own way from one to the other. */
export type Area = {
  readonly input: v.GenericSchema
  readonly output: v.GenericSchema
  /** Throws for an input that is not of the schema. */
  readonly run: (input: unknown) => unknown
}

export const area = <const I extends v.GenericSchema, const O extends v.GenericSchema>(
  input: I,
  output: O,
  run: (input: v.InferOutput<I>) => v.InferOutput<O> | Promise<v.InferOutput<O>>,
): Area => ({ input, output, run: (given) => run(v.parse(input, given)) })

/** A text, or in a vector file the name of the file that holds it. */
export const TextSchema = v.union([v.string(), FileReferenceSchema])

/** The text of a field whose file has been read. */
export const textOf = (text: v.InferOutput<typeof TextSchema>): string => {
  if (typeof text === 'string') return text
  throw new Error(`the file ${text.file} has not been read`)
}

/** What an implementation answers that refuses its input: a stable code, and what belongs to it. */
export const refusal = <const E extends v.ObjectEntries>(entries: E) =>
  v.strictObject({ refused: v.pipe(v.string(), v.nonEmpty()), ...entries })
