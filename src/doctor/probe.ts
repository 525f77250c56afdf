import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { losesItsEnd } from '../agents/opencode/release.ts'
import { agentByName } from '../agents/registry.ts'
import { observe as observeFiles } from '../drift/derive.ts'
import { type DriftAgent, type Format, standingOf } from '../drift/format.ts'
import { shippedFormats } from '../drift/known-formats.ts'
import { storeLearnt } from '../drift/learnt.ts'
import { formatsOf } from '../drift/merge.ts'
import { observe } from '../drift/opencode/observe.ts'
import { YokeError } from '../errors.ts'
import { rehearseOpenCode } from '../probe/opencode-rehearsal.ts'
import { opencodeScenario } from '../probe/opencode-script.ts'
import { type Rehearsal, rehearse } from '../probe/rehearsal.ts'
import { isOfDeadRehearsal, type RehearsalPlace, rehearsalPlace } from '../probe/rehearsal-place.ts'
import type { Elsewhere } from '../probe/rehearsal-run.ts'
import { rehearsalScenario } from '../probe/rehearsal-script.ts'
import { removeLeftovers } from '../sandbox/leftovers.ts'
import { prepareSandbox, requireSandbox } from '../sandbox/sandbox.ts'
import { version as yokeVersion } from '../version.ts'
import type { Look, Row } from './check.ts'

export type ProbeOptions = {
  /** `claude` or `opencode`. */
  readonly agent: string
  /** Keep what the release writes, for the guard before each trim. */
  readonly learn: boolean
}

/**
 * Rehearses run, resume and trim with the installed agent in a temporary home, against a model server on loopback: no key, no
 * token, no traffic to the outside (§10). Throws `E_NO_AGENT` when it is not installed.
 */
export const probe = async (look: Look, { agent, learn }: ProbeOptions): Promise<readonly Row[]> => {
  const { image } = look
  if (image !== undefined && !look.mayStart)
    return [
      {
        id: 'probe',
        status: 'skip',
        found: `Nothing was started in the image ${image}, which only the project names: say --image ${image}.`,
        fix: '',
      },
    ]
  const program = image === undefined ? look.agents.find((each) => each.agent.name === agent)?.file : agent
  if (program === undefined)
    throw new YokeError('E_NO_AGENT', `${agent} is not on PATH.`, 'Install it, or name it with --agent-path.')
  const place = await rehearsalPlace()
  try {
    const sandbox = image === undefined ? undefined : await inImage(image, place, look)
    const rehearsed = { program, place, base: look.env, elsewhere: sandbox }
    const rows = await (agent === 'opencode' ? probeOpenCode : probeClaude)(look, rehearsed, learn)
    await sandbox?.clean()
    return rows
  } catch (error) {
    // Without an engine or an image that would do nothing was rehearsed; the other rows are still worth reading.
    if (image === undefined || !(error instanceof YokeError)) throw error
    return [{ id: 'probe', status: 'fail', found: error.message, fix: error.fix }]
  } finally {
    await place.remove()
  }
}

type Rehearsed = Omit<Parameters<typeof rehearse>[0], 'scenario' | 'patienceMs'>

const probeClaude = async (look: Look, rehearsed: Rehearsed, learn: boolean): Promise<readonly Row[]> => {
  const began = performance.now()
  const rehearsal = await rehearse({ ...rehearsed, scenario: rehearsalScenario() })
  const rows = rowsOf(rehearsal, secondsSince(began))
  return learn ? [...rows, await learnt(rehearsal, look)] : rows
}

const probeOpenCode = async (look: Look, rehearsed: Rehearsed, learn: boolean): Promise<readonly Row[]> => {
  const began = performance.now()
  const rehearsal = await rehearseOpenCode({ ...rehearsed, scenario: opencodeScenario('short') })
  const rows = rowsOf(rehearsal, secondsSince(began))
  const { exported, streams, version, findings } = rehearsal
  if (!learn) return rows
  if (version === undefined || findings.some(({ ok }) => !ok)) return [...rows, refuse('Nothing was learnt.')]
  const noted = observe({ exports: [exported], streams, files: [] })
  return [
    ...rows,
    await keepFormat(formatsOf('opencode', [{ version, faults: [], ...noted }])[0], version, look),
  ]
}

const secondsSince = (began: number): string => ((performance.now() - began) / 1000).toFixed(1)

/**
 * The containers are those of a run with the user's own configuration, but for the network: the model server on loopback
 * is reached only in the host's own. The variables that `env` names stay out, as they do on the host.
 */
const inImage = async (
  image: string,
  { home, project }: RehearsalPlace,
  { env, ownDirectives, wanted }: Look,
): Promise<Elsewhere & { readonly clean: () => Promise<unknown> }> => {
  const request = {
    image,
    project,
    loop: home,
    directives: { ...ownDirectives, image, network: 'host', pull: 'never' as const, env: [] },
    env,
  }
  const { engine } = await requireSandbox(agentByName(wanted), request)
  await removeLeftovers(engine, isOfDeadRehearsal, env)
  const { launch, env: inside, clean } = await prepareSandbox({ ...request, run: 'rehearsal' })
  const folders = ['CLAUDE_CONFIG_DIR', 'XDG_DATA_HOME'].map((name) => [name, inside[name] ?? home])
  return { launch, clean, folders: Object.fromEntries(folders) }
}

const rowsOf = (
  { findings, version }: Pick<Rehearsal, 'findings' | 'version'>,
  seconds: string,
): readonly Row[] => {
  const failed = findings.filter(({ ok }) => !ok).length
  return [
    ...findings.map(
      ({ id, ok, found }): Row => ({
        id: `probe-${id}`,
        status: ok ? 'ok' : 'fail',
        found,
        fix: ok ? '' : (advice[id] ?? 'Set `trim: off`, and report it with this output.'),
      }),
    ),
    {
      id: 'probe',
      status: failed === 0 ? 'ok' : 'fail',
      found: `Rehearsed ${version ?? 'an unknown release'} in ${seconds} s: ${failed === 0 ? 'run, resume and trim work' : `${failed} of ${findings.length} failed`}.`,
      fix: failed === 0 ? '' : 'Trim with this release only when you know why; `trim: off` goes on without.',
    },
  ]
}

const advice: Readonly<Partial<Record<string, string>>> = {
  run: 'Start the agent by hand and see whether it works.',
  session: 'See that the agent may write its folder, and that nothing turns session storage off.',
  resume: 'Set `context-fork-every: 1`: each iteration then has a session of its own.',
}

const learnt = async (rehearsal: Rehearsal, look: Look): Promise<Row> => {
  const { findings, version, untrimmed } = rehearsal
  if (findings.some(({ ok }) => !ok) || version === undefined || untrimmed === undefined)
    return refuse('Nothing was learnt.')
  return keepFormat(await formatFrom(rehearsal, version, untrimmed), version, look)
}

const refuse = (
  found: string,
  fix = 'A format is learnt only from a rehearsal in which everything worked.',
): Row => ({ id: 'learn', status: 'fail', found, fix })

const keepFormat = async (format: Format | undefined, version: string, look: Look): Promise<Row> => {
  if (format === undefined) return refuse(`Nothing was learnt of ${version}.`)
  if (await isKnownToFail(format.agent, version))
    return refuse(
      `Nothing was learnt of ${version}: something was lost when yoke was tried with it, whatever this rehearsal came to.`,
      `Update ${format.agent}.`,
    )
  const provenance = { at: new Date(look.now).toISOString(), yoke: yokeVersion, platform: process.platform }
  const file = await storeLearnt({ ...format, learnt: provenance }, look.env)
  return {
    id: 'learn',
    status: 'ok',
    found: `The format of ${version} is kept in ${file}; trims are guarded with it from now on.`,
    fix: '',
  }
}

/** What a release loses now and then, one rehearsal may find in its place. */
export const isKnownToFail = async (agent: DriftAgent, version: string): Promise<boolean> =>
  standingOf(version, await shippedFormats(agent)) === 'unverified' ||
  (agent === 'opencode' && losesItsEnd(version))

const formatFrom = async (
  { streams }: Rehearsal,
  version: string,
  untrimmed: string,
): Promise<Format | undefined> => {
  const folders = [join(untrimmed, '.claude', 'projects'), join(untrimmed, 'agent-home', 'projects')]
  const files = (await Promise.all(folders.map(sessionFiles))).flat()
  return formatsOf('claude', [{ version, faults: [], ...observeFiles({ files, streams }) }])[0]
}

const sessionFiles = async (folder: string) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map(async (file) => ({
        path: relative(folder, file).replaceAll(sep, '/'),
        bytes: await readFile(file),
      })),
  )
}
