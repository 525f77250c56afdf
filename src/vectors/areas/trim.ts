import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { mintIds } from '../../agents/opencode/ids.ts'
import { planTrim } from '../../agents/opencode/plan.ts'
import { type Part, parseSession, type Session } from '../../agents/opencode/session-schema.ts'
import { faultsOf } from '../../agents/opencode/verify.ts'
import type { TrimReport } from '../../transcript/report.ts'
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
  agent: v.exactOptional(v.picklist(['claude', 'opencode']), 'claude'),
  /** The session before the trim, of the project in `/project`: the file of Claude Code, the export of OpenCode. */
  session: TextSchema,
  /** The entries of the KEEP lines. */
  keep: v.array(v.string()),
  /** The files of the project as they are now, by their path in it. */
  files: v.record(v.string(), FileSchema),
  staleReads: v.exactOptional(v.picklist(['refresh', 'drop']), 'refresh'),
  harder: v.exactOptional(v.boolean(), false),
})

const chosen = {
  kept: v.array(v.strictObject({ path: v.string(), state: v.picklist(['fresh', 'refreshed']) })),
  dropped: v.array(v.strictObject({ path: v.string(), reason: v.string() })),
  /** KEEP entries that name nothing in the session. */
  unmatched: v.array(v.string()),
}

const PartSchema = v.union([
  v.strictObject({ text: v.string() }),
  v.strictObject({ tool: v.string(), input: v.unknown(), output: v.string() }),
])

/** A trim of a stored session (§6). */
export const trim = area(
  InputSchema,
  v.union([
    v.strictObject({
      /** The session file after the trim, byte for byte. */
      session: TextSchema,
      ...chosen,
      damage: v.array(v.strictObject({ line: v.number(), kind: v.string() })),
      /** Record types that are not known. */
      unknown: v.array(v.string()),
    }),
    v.strictObject({
      /** What stays of a session of OpenCode, as far as it is sent: the ids are new each time. */
      conversation: v.array(
        v.strictObject({ role: v.picklist(['user', 'assistant']), parts: v.array(PartSchema) }),
      ),
      ...chosen,
    }),
    refusal({ session: TextSchema }),
    refusal({}),
  ]),
  (input) =>
    inPlace(async (place) => {
      for (const [path, file] of Object.entries(input.files)) {
        const { content, changed } = typeof file === 'string' ? { content: file, changed: longAgo } : file
        await place.write(join('p', path), content, new Date(changed))
      }
      return input.agent === 'claude' ? runClaude(input, place) : runOpenCode(input, place)
    }),
)

type Input = v.InferOutput<typeof InputSchema>

const wishesOf = ({ keep, staleReads, harder }: Input, place: Place) => ({
  keep: keep.map(place.enter),
  cwd: place.project,
  staleReads,
  harder,
})

const chosenOf = ({ paths, dropped, unmatched }: TrimReport, place: Place) => ({
  kept: paths.map(({ path, state }) => ({ path: place.leave(path), state })),
  dropped: dropped.map(({ path, reason }) => ({ path: place.leave(path), reason })),
  unmatched: unmatched.map(place.leave),
})

const runClaude = async (input: Input, place: Place) => {
  const file = await place.write(
    'sessions/11111111-1111-4111-8111-111111111111.jsonl',
    place.enter(textOf(input.session)),
  )
  const backup = join(place.folder, 'session.bak')
  const result = await trimSession({ file, ...wishesOf(input, place), backup })
  const session = place.leave(await readFile(file, 'utf8'))
  if (result.status === 'refused') return { refused: result.code, session }
  const { damage, unknown } = result.report
  return {
    session,
    ...chosenOf(result.report, place),
    damage: damage.map(({ line, kind }) => ({ line, kind })),
    unknown: unknown.map(({ name }) => name),
  }
}

/** All but the commands of OpenCode that export and import. */
const runOpenCode = async (input: Input, place: Place) => {
  const text = place.enter(textOf(input.session))
  const before = parseSession(JSON.parse(text))
  if (typeof before === 'string') return { refused: 'drift' }
  const plan = planTrim(before, wishesOf(input, place), mintIds(randomBytes))
  if (typeof plan === 'string') return { refused: plan }
  const reused = idsOf(before).filter((id) => plan.text.includes(id))
  const faults = [...faultsOf(plan.session), ...reused.map((id) => `${id} is not new`)]
  if (faults.length > 0) throw new Error(faults.join('; '))
  const conversation = plan.session.messages.map(({ info, parts }) => ({
    role: info.role,
    parts: parts.map((part) => shownPart(part, place)),
  }))
  return { conversation, ...chosenOf(plan.report, place) }
}

const idsOf = ({ info, messages }: Session): readonly string[] => [
  info.id,
  ...messages.flatMap(({ info: { id: message }, parts }) => [
    message,
    ...parts.flatMap(({ id, state }) => [id, ...(state?.attachments ?? []).flatMap((each) => each.id ?? [])]),
  ]),
]

const shownPart = ({ text, tool, state }: Part, place: Place) =>
  tool === undefined
    ? { text: text ?? '' }
    : {
        tool,
        input: JSON.parse(place.leave(JSON.stringify(state?.input ?? null))),
        output: place.leave(state?.output ?? ''),
      }
