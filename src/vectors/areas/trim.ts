import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { trim as trimSession } from '../../transcript/trim.ts'
import { area, refusal, TextSchema, textOf } from '../area.ts'
import { inPlace, type Place } from '../place.ts'

/** Files are older than the sessions of the cases, unless a case says when one was changed. */
const longAgo = '2020-01-01T00:00:00.000Z'

const FileSchema = v.union([
  v.string(),
  v.strictObject({ content: v.string(), changed: v.pipe(v.string(), v.isoTimestamp()) }),
])

const InputSchema = v.strictObject({
  /** The session file before the trim, of the project in `/project`. */
  session: TextSchema,
  /** The entries of the KEEP lines. */
  keep: v.array(v.string()),
  /** The files of the project as they are now, by their path in it. */
  files: v.record(v.string(), FileSchema),
  staleReads: v.exactOptional(v.picklist(['refresh', 'drop']), 'refresh'),
  harder: v.exactOptional(v.boolean(), false),
})

/** A trim of a stored session of Claude Code (§6). */
export const trim = area(
  InputSchema,
  v.union([
    v.strictObject({
      /** The session file after the trim, byte for byte. */
      session: TextSchema,
      kept: v.array(v.strictObject({ path: v.string(), state: v.picklist(['fresh', 'refreshed']) })),
      dropped: v.array(v.strictObject({ path: v.string(), reason: v.string() })),
      /** KEEP entries that name nothing in the session. */
      unmatched: v.array(v.string()),
      damage: v.array(v.strictObject({ line: v.number(), kind: v.string() })),
      /** Record types that are not known. */
      unknown: v.array(v.string()),
    }),
    refusal({ session: TextSchema }),
  ]),
  (input) => inPlace((place) => run(input, place)),
)

const run = async (input: v.InferOutput<typeof InputSchema>, place: Place) => {
  const { keep, files, staleReads, harder } = input
  for (const [path, file] of Object.entries(files)) {
    const { content, changed } = typeof file === 'string' ? { content: file, changed: longAgo } : file
    await place.write(join('p', path), content, new Date(changed))
  }
  const file = await place.write(
    'sessions/11111111-1111-4111-8111-111111111111.jsonl',
    place.enter(textOf(input.session)),
  )
  const result = await trimSession({
    file,
    keep: keep.map(place.enter),
    cwd: place.project,
    staleReads,
    harder,
    backup: join(place.folder, 'session.bak'),
  })
  const session = place.leave(await readFile(file, 'utf8'))
  if (result.status === 'refused') return { refused: result.code, session }
  const { paths, dropped, unmatched, damage, unknown } = result.report
  return {
    session,
    kept: paths.map(({ path, state }) => ({ path: place.leave(path), state })),
    dropped: dropped.map(({ path, reason }) => ({ path: place.leave(path), reason })),
    unmatched: unmatched.map(place.leave),
    damage: damage.map(({ line, kind }) => ({ line, kind })),
    unknown: unknown.map(({ name }) => name),
  }
}
