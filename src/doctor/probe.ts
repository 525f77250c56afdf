import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import * as v from 'valibot'
import { observe as observeFiles } from '../drift/derive.ts'
import type { Format } from '../drift/format.ts'
import { storeLearnt } from '../drift/learnt.ts'
import { formatsOf } from '../drift/merge.ts'
import { observe } from '../drift/opencode/observe.ts'
import { exitCode, YokeError } from '../errors.ts'
import { rehearseOpenCode } from '../probe/opencode-rehearsal.ts'
import { opencodeScenario } from '../probe/opencode-script.ts'
import { type Rehearsal, rehearse } from '../probe/rehearsal.ts'
import { type RehearsalPlace, rehearsalPlace } from '../probe/rehearsal-place.ts'
import type { Elsewhere } from '../probe/rehearsal-run.ts'
import { rehearsalScenario } from '../probe/rehearsal-script.ts'
import { prepareSandbox } from '../sandbox/sandbox.ts'
import { DirectivesSchema } from '../task/directives.ts'
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
 * token, no traffic to the outside (§10). Throws `E_NO_AGENT` when it is not installed, `E_USAGE` for an agent that cannot be rehearsed.
 */
export const probe = async (look: Look, { agent, learn }: ProbeOptions): Promise<readonly Row[]> => {
  const { image } = look
  const program = image === undefined ? look.agents.find((each) => each.agent.name === agent)?.file : agent
  if (program === undefined)
    throw new YokeError('E_NO_AGENT', `${agent} is not on PATH.`, 'Install it, or name it with --agent-path.')
  if (agent === 'opencode') return probeOpenCode(look, program, learn)
  const place = await rehearsalPlace()
  try {
    const sandbox = image === undefined ? undefined : await inImage(image, place, look)
    const began = performance.now()
    const rehearsal = await rehearse({
      program,
      place,
      scenario: rehearsalScenario(),
      base: look.env,
      elsewhere: sandbox,
    })
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    const rows = rowsOf(rehearsal, seconds)
    await sandbox?.clean()
    return learn ? [...rows, await learnt(rehearsal, look)] : rows
  } finally {
    await place.remove()
  }
}

const probeOpenCode = async (look: Look, program: string, learn: boolean): Promise<readonly Row[]> => {
  if (look.image !== undefined)
    throw new YokeError(
      'E_USAGE',
      'OpenCode is rehearsed on the host only.',
      'Leave --image out.',
      exitCode.usage,
    )
  const place = await rehearsalPlace()
  try {
    const began = performance.now()
    const rehearsal = await rehearseOpenCode({
      ...{ program, place, scenario: opencodeScenario('short'), base: look.env },
    })
    const rows = rowsOf(rehearsal, ((performance.now() - began) / 1000).toFixed(1))
    const { exported, streams, version, findings } = rehearsal
    if (!learn) return rows
    if (version === undefined || findings.some(({ ok }) => !ok))
      return [...rows, refuse('Nothing was learnt.')]
    const noted = observe({ exports: [exported], streams, files: [] })
    return [
      ...rows,
      await keepFormat(formatsOf('opencode', [{ version, faults: [], ...noted }])[0], version, look),
    ]
  } finally {
    await place.remove()
  }
}

/** A container reaches the model server on loopback only in the host's own network. */
const inImage = async (
  image: string,
  { home, project }: RehearsalPlace,
  { env, directives }: Look,
): Promise<Elsewhere & { readonly clean: () => Promise<unknown> }> => {
  const {
    launch,
    env: inside,
    clean,
  } = await prepareSandbox({
    image,
    project,
    loop: home,
    run: 'rehearsal',
    directives: v.parse(DirectivesSchema, {
      image,
      network: 'host',
      ...(directives?.engine === undefined ? {} : { engine: directives.engine }),
      env: passedOn,
    }),
    env: { ...env, HOME: home },
  })
  return { launch, clean, agentHome: inside['CLAUDE_CONFIG_DIR'] ?? home }
}

/** What points the agent at the model server. */
const passedOn = [
  ...[
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_API_KEY',
    'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
    'DISABLE_AUTOUPDATER',
  ],
  ...['DISABLE_TELEMETRY', 'DISABLE_ERROR_REPORTING', 'CLAUDE_CODE_MAX_RETRIES', 'NO_PROXY'],
]

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

const refuse = (found: string): Row => ({
  id: 'learn',
  status: 'fail',
  found,
  fix: 'A format is learnt only from a rehearsal in which everything worked.',
})

const keepFormat = async (format: Format | undefined, version: string, look: Look): Promise<Row> => {
  if (format === undefined) return refuse(`Nothing was learnt of ${version}.`)
  const provenance = { at: new Date(look.now).toISOString(), yoke: yokeVersion, platform: process.platform }
  const file = await storeLearnt({ ...format, learnt: provenance }, look.env)
  return {
    id: 'learn',
    status: 'ok',
    found: `The format of ${version} is kept in ${file}; trims are guarded with it from now on.`,
    fix: '',
  }
}

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
