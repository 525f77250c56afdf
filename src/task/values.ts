import * as v from 'valibot'
import { parseDuration } from './duration.ts'
import { parseTokens } from './tokens.ts'
import { splitArguments, splitTools } from './words.ts'

/** A timer of Node, Bun and Deno holds 2^31-1 ms at most and fires at once beyond that. */
const longestMs = 24 * 86_400_000

const scalar = v.union([v.string(), v.number()])

/** One line without control characters: what may be handed on as an argument of a program. */
export const line = v.pipe(
  scalar,
  v.transform((value) => String(value).trim()),
  v.regex(/^[^\u0000-\u001f\u007f]+$/),
)

/** A name that a program cannot take for one of its options. */
export const name = v.pipe(line, v.regex(/^[^-]/))

/** A shell command; it may have several lines. */
export const command = v.pipe(v.string(), v.trim(), v.regex(/^[^\u0000]+$/))

/** A name that git takes for a branch (git-check-ref-format, rules 1 to 10). */
export const branch = v.pipe(
  name,
  v.check(
    (text) => !/[\s~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[./]|[./]$|^@$/.test(text) && text !== 'HEAD',
  ),
)

/** YAML and `--no-commit` may say `false` for `off`. */
export const commit = v.union([
  v.picklist(['off', 'each', 'done']),
  v.pipe(
    v.literal(false),
    v.transform(() => 'off' as const),
  ),
])

/** A number within a range, or a text of the given form that `parse` makes such a number of. */
const numberOr = <S extends v.GenericSchema<number, number>>(
  range: S,
  form: RegExp,
  parse: (text: string) => number | undefined,
) => v.union([range, v.pipe(v.string(), v.regex(form), v.transform(parse), v.number(), range)])

const plainNumber = (text: string): number => Number(text.replace(/[_$\s]/g, ''))
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(1))

export const count = numberOr(whole, /^\s*\d[\d_]*\s*$/, plainNumber)
export const amount = numberOr(
  v.pipe(v.number(), v.finite(), v.gtValue(0)),
  /^\s*\$?\s*\d[\d_]*(?:\.\d+)?\s*$/,
  plainNumber,
)
export const tokens = numberOr(whole, /^\s*\d[\d_]*(?:\.\d+)?\s*[kKmM]?\s*$/, parseTokens)

/** A plain number is seconds, so it goes through the parser as well. */
export const duration = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^\s*\d[\d.\sdhms]*$/))]),
  v.transform(parseDuration),
  v.number(),
  v.minValue(1),
  v.maxValue(longestMs),
)

/** YAML 1.2 reads `on` and `off` as text, `true` and `false` as booleans: both are meant alike. */
const switches = new Map<unknown, boolean>([
  ...['on', 'true', 'yes'].map((word) => [word, true] as const),
  ...['off', 'false', 'no'].map((word) => [word, false] as const),
])
const asSwitch = (value: boolean | string): boolean | undefined =>
  typeof value === 'boolean' ? value : switches.get(value.trim().toLowerCase())

export const onOff = v.pipe(
  v.union([v.boolean(), v.picklist(['on', 'off']), v.string()]),
  v.transform(asSwitch),
  v.boolean(),
)

/** On, off, or `always`. */
export const trim = v.union([
  v.pipe(
    v.string(),
    v.transform((text) => text.trim().toLowerCase()),
    v.literal('always'),
  ),
  onOff,
])

/** `on`, `off`, or the path of a prompt file. */
export const judge = v.pipe(
  v.union([v.boolean(), line]),
  v.transform((value) => {
    const known = asSwitch(value)
    return known === undefined ? String(value) : known ? 'on' : 'off'
  }),
)

/** A list, of which a single item may stand for itself. */
export const list = <S extends v.GenericSchema>(item: S) =>
  v.union([
    v.array(item),
    v.pipe(
      item,
      v.transform((one) => [one]),
    ),
  ])

export const toolRules = v.union([
  v.array(line),
  v.pipe(
    line,
    v.transform((text) => [...splitTools(text)]),
  ),
])

export const argumentList = v.union([
  v.array(v.pipe(scalar, v.transform(String), v.regex(/^[^\u0000]*$/))),
  v.pipe(
    scalar,
    v.transform((text) => splitArguments(String(text))),
    v.custom<readonly string[]>((words) => words !== undefined),
    v.transform((words) => [...words]),
  ),
])

const secret = /(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$/i

/** `NAME` hands a variable on, `NAME=value` sets it. A secret is handed on only: directives are stored with the run. */
const variable = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z_][A-Za-z0-9_]*(?:=[^\u0000]*)?$/),
  v.check((text) => !(text.includes('=') && secret.test(text.slice(0, text.indexOf('='))))),
)

export const variables = v.union([
  list(variable),
  v.pipe(
    v.record(v.string(), v.nullable(v.union([v.string(), v.number(), v.boolean()]))),
    v.transform((map) =>
      Object.entries(map).map(([key, value]) => (value === null ? key : `${key}=${value}`)),
    ),
    v.array(variable),
  ),
])

/** `path`, `path:ro`, `source:target`, `source:target:ro`; a drive letter's colon parts nothing. */
const mountText = /^(?<source>(?:[A-Za-z]:(?=[\\/]))?[^:]+)(?::(?<target>\/[^:]*))?(?::(?<mode>ro|rw))?$/

const mountEntries = {
  /** On the host. */
  source: line,
  /** In the container, absolute; the same path as on the host when it is left out. */
  target: v.exactOptional(v.pipe(line, v.startsWith('/'))),
  readonly: v.optional(onOff, false),
}

const fromMountText = (text: string): { source: string; target?: string; readonly: boolean } => {
  const { source = '', target, mode } = mountText.exec(text)?.groups ?? {}
  return { source, ...(target === undefined ? {} : { target }), readonly: mode === 'ro' }
}

export const mount = v.union([
  v.pipe(line, v.regex(mountText), v.transform(fromMountText)),
  v.strictObject(mountEntries),
])

const prompt = v.pipe(v.string(), v.trim(), v.nonEmpty())

/** A name becomes part of `notes.<name>.md` and of the role `periodic:<name>`. */
export const periodic = v.pipe(
  v.strictObject({
    name: v.pipe(line, v.regex(/^[a-z0-9][a-z0-9-]{0,39}$/)),
    every: count,
    prompt: v.exactOptional(prompt),
    /** The path of a file that holds the prompt. */
    'prompt-file': v.exactOptional(line),
    session: v.optional(v.picklist(['fresh', 'own']), 'fresh'),
    /** The run ends when it fails. */
    required: v.exactOptional(onOff),
  }),
  v.check((it) => (it.prompt === undefined) !== (it['prompt-file'] === undefined)),
)
