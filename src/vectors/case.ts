import * as v from 'valibot'

const text = v.pipe(v.string(), v.nonEmpty())

/** `anthropics/claude-code#58554`, `Claude Code changelog 2.1.187`, `measured on Claude Code 2.1.332`. */
const report = v.pipe(
  v.string(),
  v.regex(/^(?:[\w.-]+\/[\w.-]+#\d+|(?:Claude Code changelog|measured on Claude Code) \d+\.\d+\.\d+)$/),
)

/** Where an input or an expected output holds a text, it may name a file of `vectors/` that holds it. */
export const FileReferenceSchema = v.strictObject({ file: text })

/** What a case says besides its input and what is expected. */
const caseEntries = {
  id: v.pipe(v.string(), v.regex(/^[a-z]+-\d{3}$/)),
  /** Why the case exists. */
  comment: text,
  section: v.pipe(v.string(), v.regex(/^\u00a7\d+\.\d+$/)),
  /** The sentences of the specification that the case tests, by their numbers: `4.1-3`. */
  rules: v.pipe(v.array(v.pipe(v.string(), v.regex(/^\d+\.\d+-\d+$/))), v.minLength(1)),
  flags: v.array(v.pipe(v.string(), v.regex(/^[a-z][a-z-]*$/))),
  /**
   * `valid`: the output must be the expected one. `invalid`: the input must be refused as expected. `acceptable`: the
   * expected output, or a refusal of any kind.
   */
  result: v.picklist(['valid', 'invalid', 'acceptable']),
  /** The public report that the case comes from, or several about the same thing. */
  source: v.exactOptional(v.union([report, v.pipe(v.array(report), v.minLength(2))])),
}

/** The schema of the files of one area. */
export const vectorFileSchema = <const A extends string>(
  area: A,
  input: v.GenericSchema,
  output: v.GenericSchema,
) =>
  v.strictObject({
    version: v.pipe(v.string(), v.regex(/^\d+\.\d+\.\d+$/)),
    area: v.literal(area),
    /** What the cases of this file are about. */
    about: text,
    /** What each flag means. */
    notes: v.record(v.pipe(v.string(), v.regex(/^[a-z][a-z-]*$/)), text),
    cases: v.pipe(v.array(v.strictObject({ ...caseEntries, input, expected: output })), v.minLength(1)),
  })

export type VectorCase = {
  readonly id: string
  readonly area: string
  readonly comment: string
  readonly section: string
  readonly rules: readonly string[]
  readonly flags: readonly string[]
  readonly result: 'valid' | 'invalid' | 'acceptable'
  readonly source?: string | readonly string[]
  readonly input: unknown
  readonly expected: unknown
}

/** Replaces each reference to a file by the text of that file. */
export const withTexts = (value: unknown, files: ReadonlyMap<string, string>): unknown => {
  const reference = v.safeParse(FileReferenceSchema, value)
  if (reference.success) return textOf(reference.output.file, files)
  if (Array.isArray(value)) return value.map((each) => withTexts(each, files))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withTexts(each, files)]))
}

const textOf = (path: string, files: ReadonlyMap<string, string>): string => {
  const text = files.get(path)
  if (text === undefined) throw new Error(`there is no file vectors/${path}`)
  return text
}
