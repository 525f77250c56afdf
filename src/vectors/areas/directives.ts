import * as v from 'valibot'
import { YokeError } from '../../errors.ts'
import { loadTask, userConfigFile } from '../../task/load.ts'
import { area, refusal } from '../area.ts'
import { inPlace, type Place } from '../place.ts'

const InputSchema = v.strictObject({
  /** The text of `task.md`, or its bytes in base64; null: there is no such file. */
  task: v.nullable(v.union([v.string(), v.strictObject({ base64: v.pipe(v.string(), v.base64()) })])),
  /** Directives given as long flags. */
  flags: v.exactOptional(v.record(v.string(), v.unknown())),
  /** The text of the project's `.loop/config.yaml`. */
  config: v.exactOptional(v.string()),
  /** The text of the user's `config.yaml`. */
  userConfig: v.exactOptional(v.string()),
  env: v.exactOptional(v.record(v.string(), v.string())),
  /** More files of the project. */
  files: v.exactOptional(v.record(v.string(), v.string())),
  /** The directives whose values are asked for. */
  ask: v.array(v.string()),
})

/** A task file and its directives (§8). */
export const directives = area(
  InputSchema,
  v.union([
    v.strictObject({
      prompt: v.string(),
      /** Durations are milliseconds; null: not set. */
      directives: v.record(v.string(), v.unknown()),
    }),
    refusal({
      /** The directive that was probably meant. */
      nearest: v.exactOptional(v.string()),
    }),
  ]),
  (input) => inPlace((place) => load(input, place)),
)

const load = async (input: v.InferOutput<typeof InputSchema>, place: Place) => {
  const { task, flags = {}, config, userConfig, files = {}, ask } = input
  const env = { ...input.env, HOME: place.folder }
  const texts: readonly (readonly [string, string | undefined])[] = [
    ['p/.loop/config.yaml', config],
    [userConfigFile(env, 'linux').slice(place.folder.length + 1), userConfig],
    ...Object.entries(files).map(([path, text]) => [`p/${path}`, text] as const),
  ]
  if (task !== null)
    await place.write('p/task.md', typeof task === 'string' ? task : Buffer.from(task.base64, 'base64'))
  for (const [path, text] of texts) if (text !== undefined) await place.write(path, text)
  try {
    const { prompt, directives } = await loadTask({ file: 'task.md', cwd: place.project, flags, env })
    const values: Readonly<Record<string, unknown>> = directives
    const asked = Object.fromEntries(ask.map((key) => [key, values[key] ?? null]))
    return { prompt, directives: v.parse(Asked, JSON.parse(place.leave(JSON.stringify(asked)))) }
  } catch (error) {
    if (!(error instanceof YokeError)) throw error
    const nearest = /did you mean `([^`]+)`/.exec(error.message)?.[1]
    return { refused: error.code, ...(nearest === undefined ? {} : { nearest }) }
  }
}

const Asked = v.record(v.string(), v.unknown())
