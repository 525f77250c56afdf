import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findSession } from '../agents/claude/session-file.ts'
import { evidence } from '../agents/evidence.ts'
import { parseRecord } from '../transcript/record.ts'
import { trim } from '../transcript/trim.ts'
import { type Finding, lookAtRequest } from './rehearsal-checks.ts'
import type { RehearsalPlace } from './rehearsal-place.ts'
import { type Elsewhere, mainRequests, type RehearsalRun, runOnce } from './rehearsal-run.ts'
import { laterScenario, marks, projectFiles } from './rehearsal-script.ts'
import type { Scenario } from './scenario.ts'

export type Rehearsal = {
  /** The release, as its records name it. */
  readonly version: string | undefined
  readonly findings: readonly Finding[]
  /** Lines of the event streams. */
  readonly streams: readonly string[]
  /** A copy of the home before the trim. */
  readonly untrimmed: string | undefined
  readonly session: string | undefined
}

type Options = {
  /** Absolute path of the CLI. */
  readonly program: string
  readonly place: RehearsalPlace
  readonly scenario: Scenario
  readonly base: Readonly<Record<string, string | undefined>>
  /** For each run. */
  readonly patienceMs?: number | undefined
  readonly elsewhere?: Elsewhere | undefined
}

/**
 * Run, resume, trim, resume with a real CLI in a temporary home, against a model server on loopback: no key, no tokens, no
 * outside traffic. It stops at the first step that fails, and never throws for what the CLI does.
 */
export const rehearse = async ({
  program,
  place,
  scenario,
  base,
  patienceMs,
  elsewhere,
}: Options): Promise<Rehearsal> => {
  const { home, project, root } = place
  const env = { ...base, HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude'), ...elsewhere?.folders }
  for (const [name, text] of Object.entries(projectFiles)) await writeFile(join(project, name), text)
  const findings: Finding[] = []
  const streams: string[] = []
  const start = async (prompt: string, session: string | undefined, script: Scenario) => {
    const run = await runOnce({
      program,
      place,
      scenario: script,
      prompt,
      session: session === undefined ? { kind: 'new' } : { kind: 'resume', id: session },
      base,
      patienceMs,
      elsewhere,
    })
    streams.push(...run.stream)
    return run
  }
  const stopped = (version?: string): Rehearsal => ({
    version,
    findings,
    streams,
    untrimmed: undefined,
    session: undefined,
  })

  const first = await start(marks.prompt, undefined, scenario)
  findings.push(ended('run', first))
  if (first.failed || first.session === undefined) return stopped()
  const firstFile = await findSession(first.session, project, env)
  findings.push(found(firstFile))
  if (firstFile === undefined) return stopped()
  const version = versionIn(await readFile(firstFile))

  const second = await start(marks.goOn, first.session, scenarioFrom(scenario, 1))
  const session = second.session ?? first.session
  const file = await findSession(session, project, env)
  findings.push(ended('resume', second))
  if (second.failed || file === undefined) return stopped(version)

  const untrimmed = join(root, 'untrimmed')
  await cp(home, untrimmed, { recursive: true })
  const trimmed = await trim({
    file,
    keep: Object.keys(projectFiles),
    cwd: project,
    staleReads: 'refresh',
    backup: join(root, 'session.bak'),
  })
  const refused = trimmed.status === 'refused'
  findings.push({
    id: 'trim',
    ok: !refused,
    found: refused ? `The trim was refused: ${trimmed.reason}` : 'The session was trimmed and verified.',
  })
  const here = { version, streams, findings, untrimmed, session }
  if (refused) return here

  const third = await start(marks.after, session, laterScenario())
  findings.push(ended('accepted', third))
  const [before, after] = [mainRequests(second).at(-1), mainRequests(third)[0]]
  if (before !== undefined && after !== undefined)
    findings.push(...lookAtRequest(before, after, trimmed.report))
  return here
}

/** The turns of the script from this one on. */
export const scenarioFrom = (scenario: Scenario, turn: number): Scenario => ({
  ...scenario,
  script: Object.fromEntries(
    Object.entries(scenario.script).map(([role, turns]) => [
      role,
      role === 'main' ? turns.slice(turn) : turns,
    ]),
  ),
})

const words = { run: 'first run', resume: 'resumed run', accepted: 'run after the trim' } as const

/** How one start went, as a finding. */
export const ended = (id: keyof typeof words, run: RehearsalRun): Finding => ({
  id,
  ok: !run.failed,
  found: run.failed
    ? `The ${words[id]} failed (exit ${run.exit ?? 'by signal'}): ${reasonOf(run)}`
    : `The ${words[id]} went through.`,
})

const reasonOf = ({ exit, lacks, stderr, stream, requests }: RehearsalRun): string =>
  (exit === 0 && lacks) ||
  evidence(stderr) ||
  stream.at(-1)?.slice(0, 200) ||
  (requests.length === 0 ? 'it asked the model nothing.' : 'it printed no result.')

const found = (file: string | undefined): Finding => ({
  id: 'session',
  ok: file !== undefined,
  found:
    file === undefined
      ? 'The CLI wrote no session file where yoke looks for it.'
      : 'The session file was found.',
})

const versionIn = (bytes: Buffer): string | undefined => {
  for (const line of bytes.toString('utf8').split('\n')) {
    const record = parseRecord(Buffer.from(line))
    if (record?.version !== undefined) return record.version
  }
  return undefined
}
