import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { SessionTrimmed } from '../agents/agent.ts'
import { opencode } from '../agents/opencode/opencode.ts'
import { dataFolder, findSession } from '../agents/opencode/store.ts'
import { trimAgainst } from '../agents/opencode/trim.ts'
import { probeEnvironment } from './environment.ts'
import { ended, type Rehearsal, scenarioFrom } from './rehearsal.ts'
import { lookAtRequest } from './rehearsal-checks.ts'
import type { RehearsalPlace } from './rehearsal-place.ts'
import { type Dialect, type Elsewhere, mainRequests, runOnce } from './rehearsal-run.ts'
import { laterScenario, marks, projectFiles } from './rehearsal-script.ts'
import type { Scenario } from './scenario.ts'

export type OpenCodeRehearsal = Omit<Rehearsal, 'untrimmed'> & {
  /** The session before the trim, as OpenCode exports it. */
  readonly exported: unknown
  /** What holds it. */
  readonly store: string | undefined
}

type Options = {
  readonly program: string
  readonly place: RehearsalPlace
  readonly scenario: Scenario
  readonly base: Readonly<Record<string, string | undefined>>
  readonly elsewhere?: Elsewhere | undefined
}

const dialect: Dialect = {
  line: ({ program, ...start }, env) =>
    opencode.commandLine(
      program,
      {
        role: 'worker',
        ...start,
        access: 'edit',
        model: 'anthropic/claude-sonnet-4-5',
        permissionMode: 'bypassPermissions',
      },
      env,
    ),
  outcome: (stream) => {
    const events = stream.flatMap((line) => opencode.parseLine(line))
    const session = events.find((event) => event.type === 'started')?.session
    const last = events.findLast((event) => event.type === 'usage')
    const failed = last?.finish !== 'stop'
    return {
      session,
      failed,
      ...(failed && last !== undefined ? { lacks: 'its last answer is missing.' } : {}),
    }
  },
  // The first start of a release makes its database; a busy machine takes a minute for it.
  patienceMs: 150_000,
}

/**
 * Run, resume, trim, resume with a real OpenCode in a temporary home, against a model server on loopback. It stops at the first step that
 * fails, and never throws for what the CLI does.
 */
export const rehearseOpenCode = async (options: Options): Promise<OpenCodeRehearsal> => {
  const { program, place, scenario, elsewhere } = options
  const base = elsewhere === undefined ? withOwnPrograms(options.base) : options.base
  const { home, project, root } = place
  const env = { ...probeEnvironment({ url: 'http://127.0.0.1:9', home, base }), ...elsewhere?.folders }
  for (const [name, text] of Object.entries(projectFiles)) await writeFile(join(project, name), text)
  await makeRepository(project, env)
  const findings: Rehearsal['findings'][number][] = []
  const streams: string[] = []
  const start = async (prompt: string, id: string | undefined, script: Scenario) => {
    const session = id === undefined ? ({ kind: 'new' } as const) : ({ kind: 'resume', id } as const)
    const run = await runOnce({ program, place, scenario: script, prompt, session, base, dialect, elsewhere })
    streams.push(...run.stream)
    return run
  }
  const here = (more: Partial<OpenCodeRehearsal> = {}): OpenCodeRehearsal => ({
    ...{ version: undefined, session: undefined, exported: undefined, store: undefined },
    ...{ findings, streams },
    ...more,
  })

  const first = await start(marks.prompt, undefined, scenario)
  const { session } = first
  findings.push(ended('run', first))
  if (first.failed || session === undefined) return here()
  const store = await findSession(session, project, env)
  findings.push({
    id: 'session',
    ok: store !== undefined,
    found:
      store === undefined
        ? 'OpenCode stored no session where yoke looks for it.'
        : 'The store of sessions was found.',
  })
  if (store === undefined) return here()

  const second = await start(marks.goOn, session, scenarioFrom(scenario, 1))
  findings.push(ended('resume', second))
  if (second.failed) return here({ session, store })

  // OpenCode imports from beside it: a container sees the folder of the store, not all of the place.
  const backup = join(env['XDG_DATA_HOME'] ?? root, 'backups', 'session.json')
  const request = { program, session, file: store, cwd: project, env, backup } as const
  const launch = elsewhere === undefined ? {} : { launch: elsewhere.launch }
  const keep = Object.keys(projectFiles)
  // What is known of the release must not decide what is found.
  const trimmed = await trimAgainst({ ...request, ...launch, keep, staleReads: 'refresh', harder: false }, [])
  const exported = await exportIn(backup)
  const known = here({ version: versionOf(exported), session, exported, store })
  findings.push(trimFinding(trimmed))
  if (trimmed.status === 'refused' || trimmed.newSession === undefined) return known

  const third = await start(marks.after, trimmed.newSession, laterScenario())
  findings.push(ended('accepted', third))
  const [before, after] = [mainRequests(second).at(-1), mainRequests(third)[0]]
  if (before !== undefined && after !== undefined)
    findings.push(...lookAtRequest(before, after, trimmed.report))
  return known
}

/** With the programs on PATH that OpenCode has fetched for itself: in an empty home 1.0.185 fetches ripgrep, or ends where it cannot. */
const withOwnPrograms = (base: Options['base']): Options['base'] =>
  base['PATH'] === undefined
    ? base
    : { ...base, PATH: [base['PATH'], join(dataFolder(base), 'bin')].join(delimiter) }

/** As projects are: in a repository OpenCode also stores what each step changed (1.18.33). Without git it is a folder like any other. */
const makeRepository = async (
  project: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> => {
  const git = (...args: readonly string[]) =>
    promisify(execFile)('git', ['-C', project, ...args], { env: { ...env } })
  try {
    await git('init', '--quiet')
    await git(
      ...['-c', 'user.name=yoke', '-c', 'user.email=yoke@localhost'],
      ...['commit', '--quiet', '--allow-empty', '--message', 'Begin'],
    )
  } catch {}
}

const trimFinding = (trimmed: SessionTrimmed): Rehearsal['findings'][number] => {
  const ok = trimmed.status === 'applied'
  const found =
    trimmed.status === 'refused'
      ? `The trim was refused: ${trimmed.reason}`
      : ok
        ? 'The session was trimmed and verified.'
        : 'The trim found nothing to drop.'
  return { id: 'trim', ok, found }
}

const exportIn = async (file: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}

const versionOf = (exported: unknown): string | undefined => {
  const { info } = Object(exported)
  return typeof info?.version === 'string' ? info.version : undefined
}
