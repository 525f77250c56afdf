import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { type Rehearsal, rehearse, scenarioFrom } from './rehearsal.ts'
import type { RehearsalPlace } from './rehearsal-place.ts'
import { type RehearsalRun, runOnce } from './rehearsal-run.ts'
import { fullScenario, laterScenario, marks, type Offer, projectFiles } from './rehearsal-script.ts'
import { messagesRequest } from './request-view.ts'
import type { Scenario } from './scenario.ts'

/** A file below the CLI's folder of sessions. */
export type StoredFile = { readonly path: string; readonly bytes: Buffer }

export type FullRehearsal = Rehearsal & {
  /** Session files as the CLI wrote them, untouched by a trim. */
  readonly files: readonly StoredFile[]
  readonly offer: Offer
}

type Options = {
  readonly program: string
  readonly place: RehearsalPlace
  readonly base: Readonly<Record<string, string | undefined>>
  /** Before every answer of the model: what a release writes may depend on it. */
  readonly delayMs: number
}

/** On a busy machine old releases take more than the usual patience, which would look like a fault of theirs. */
const patienceMs = 180_000

/** The rehearsal with everything that a session can hold without a person: every tool, a compaction, a fork. */
export const rehearseFully = async ({ program, place, base, delayMs }: Options): Promise<FullRehearsal> => {
  const later = slowed(laterScenario(), delayMs)
  const offer = await offerOf(program, place, base)
  const scenario = slowed(fullScenario(offer), delayMs)
  const rehearsal = await rehearse({ program, place, scenario, base, patienceMs })
  const { untrimmed, session } = rehearsal
  if (untrimmed === undefined || session === undefined) return { ...rehearsal, offer, files: [] }
  const streams: string[] = []
  const go = async (prompt: string, id: string, extraArgs: readonly string[] = []) => {
    const run = await runOnce({
      program,
      place: { ...place, home: untrimmed },
      scenario: later,
      prompt,
      session: { kind: 'resume', id },
      extraArgs,
      base,
      patienceMs,
    })
    streams.push(...run.stream)
    return run.session ?? id
  }
  const compacted = await go('/compact', session)
  const resumed = await go('Go on after the compaction.', compacted)
  await go('Go on in a fork.', resumed, ['--fork-session'])
  return {
    ...rehearsal,
    offer,
    streams: [...rehearsal.streams, ...streams],
    files: await storedFiles(untrimmed),
  }
}

/** The first two runs once more: what a release writes depends also on how fast the model answers. */
export const rehearseAgain = async (
  { program, place, base, delayMs }: Options,
  offer: Offer,
): Promise<Pick<FullRehearsal, 'streams' | 'files'>> => {
  for (const [name, text] of Object.entries(projectFiles)) await writeFile(join(place.project, name), text)
  const scenario = slowed(fullScenario(offer), delayMs)
  const first = await runOnce({
    program,
    place,
    scenario,
    prompt: marks.prompt,
    session: { kind: 'new' },
    base,
    patienceMs,
  })
  const session = { kind: 'resume', id: first.session ?? '' } as const
  const second =
    first.session === undefined
      ? undefined
      : await runOnce({
          program,
          place,
          scenario: scenarioFrom(scenario, 1),
          prompt: marks.goOn,
          session,
          base,
          patienceMs,
        })
  return { streams: [...first.stream, ...(second?.stream ?? [])], files: await storedFiles(place.home) }
}

const slowed = (scenario: Scenario, delayMs: number): Scenario => ({
  ...scenario,
  script: Object.fromEntries(
    Object.entries(scenario.script).map(([role, turns]) => [
      role,
      turns.map((turn) => turn.map((reply) => ({ ...reply, delayMs }))),
    ]),
  ),
})

/** What the CLI offers differs: the subagent was `Task` and is `Agent`, the list of things to do came and went. */
const offerOf = async (program: string, place: RehearsalPlace, base: Options['base']): Promise<Offer> => {
  const run = await runOnce({
    program,
    place,
    scenario: laterScenario(),
    prompt: 'Which tools are there?',
    session: { kind: 'new' },
    base,
    patienceMs,
  })
  return new Map(askedWith(run).map(({ name, input_schema }) => [name, new Set(propertiesOf(input_schema))]))
}

const askedWith = ({ requests }: RehearsalRun) =>
  requests
    .filter(({ path, body }) => path.startsWith('/v1/messages') && body !== undefined)
    .map((request) => messagesRequest(request).tools)
    .reduce((most, tools) => (tools.length > most.length ? tools : most), [])

const propertiesOf = (schema: unknown): readonly string[] =>
  typeof schema === 'object' && schema !== null && 'properties' in schema
    ? Object.keys(Object(schema.properties))
    : []

const storedFiles = async (home: string): Promise<readonly StoredFile[]> => {
  const folder = join(home, '.claude', 'projects')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    paths.sort().map(async (path) => ({
      path: relative(folder, path).replaceAll(sep, '/'),
      bytes: await readFile(path),
    })),
  )
}
