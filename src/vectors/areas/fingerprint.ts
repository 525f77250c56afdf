import * as v from 'valibot'
import type { Difference } from '../../drift/drift.ts'
import { FormatSchema } from '../../drift/format.ts'
import { sessionFingerprint } from '../../drift/opencode/guard.ts'
import { thoroughFingerprint } from '../../drift/session-fingerprint.ts'
import { scanBytes } from '../../transcript/scan.ts'
import { area, TextSchema, textOf } from '../area.ts'

const FormatsSchema = v.array(v.pick(FormatSchema, ['verified', 'unverified', 'session']))

const DifferenceSchema = v.strictObject({
  level: v.picklist(['additive', 'breaking']),
  kind: v.picklist(['new-type', 'new-key', 'new-block', 'missing', 'renamed', 'retyped', 'release']),
  name: v.string(),
  line: v.number(),
  path: v.string(),
  count: v.number(),
  /** Not of `new-type`, `new-block` and `release`, whose words are free. */
  expected: v.exactOptional(v.string()),
  found: v.exactOptional(v.string()),
})

/** What a stored session differs in from known formats (§9). */
export const fingerprint = area(
  v.strictObject({
    agent: v.exactOptional(v.picklist(['claude', 'opencode']), 'claude'),
    /** The file of Claude Code, or the export of OpenCode. */
    session: TextSchema,
    /** JSON: the known formats, each with its `session`, `verified` and `unverified` releases. */
    formats: TextSchema,
    drift: v.exactOptional(v.picklist(['normal', 'strict']), 'normal'),
    /** The lines that a trim keeps, from 1; that of OpenCode keeps the first prompt. */
    stays: v.exactOptional(v.array(v.number()), []),
    /** The installed release. */
    installed: v.exactOptional(v.string()),
  }),
  v.strictObject({
    fingerprint: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
    versions: v.pipe(v.array(v.string()), v.readonly()),
    verdict: v.picklist(['known', 'additive', 'breaking']),
    differences: v.pipe(v.array(DifferenceSchema), v.readonly()),
  }),
  ({ agent, session, formats: known, drift, stays, installed }) => {
    const formats = v.parse(FormatsSchema, JSON.parse(textOf(known)))
    const strict = drift === 'strict'
    if (agent === 'opencode') {
      const found = sessionFingerprint(JSON.parse(textOf(session)), formats, { strict, installed })
      return { ...found, differences: found.differences.map(shown) }
    }
    const { observer, finish } = thoroughFingerprint({ formats, strict, installed })
    scanBytes(Buffer.from(textOf(session)), { cwd: '/project', wants: () => true, observer })
    const found = finish((line) => stays.includes(line))
    return { ...found, differences: found.differences.map(shown) }
  },
)

const worded: readonly Difference['kind'][] = ['new-type', 'new-block', 'release']

const shown = ({ expected, found, ...rest }: Difference) => ({
  ...rest,
  ...(worded.includes(rest.kind) ? {} : { expected, found }),
})
