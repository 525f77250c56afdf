import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { CommandLine, Launch, SessionUse } from '../agents/agent.ts'
import { commandLine } from '../agents/claude/arguments.ts'
import { parseLine } from '../agents/claude/events.ts'
import { probeEnvironment } from './environment.ts'

import type { RehearsalPlace } from './rehearsal-place.ts'
import type { Scenario } from './scenario.ts'
import { type RecordedRequest, startModelServer } from './server.ts'

/** One start of the CLI in a rehearsal. */
export type RehearsalRun = {
  readonly exit: number | null
  readonly session: string | undefined
  /** The last result says that it failed, or there is none. */
  readonly failed: boolean
  /** What its output lacks, a sentence, where the CLI itself may take this for a success. */
  readonly lacks?: string
  /** Lines of its standard output. */
  readonly stream: readonly string[]
  readonly stderr: string
  readonly requests: readonly RecordedRequest[]
}

type Start = {
  readonly program: string
  readonly place: Pick<RehearsalPlace, 'home' | 'project' | 'holds'>
  readonly scenario: Scenario
  readonly prompt: string
  readonly session: SessionUse
  readonly extraArgs?: readonly string[]
  readonly base: Readonly<Record<string, string | undefined>>
  /** After so long it is ended. */
  readonly patienceMs?: number | undefined
  /** Claude Code when it is left out. */
  readonly dialect?: Dialect
  /** Where the CLI runs and keeps its sessions, when that is not this machine and the place's home. */
  readonly elsewhere?: Elsewhere | undefined
}

/** How one CLI is started in a rehearsal, and what its output says. */
export type Dialect = {
  readonly line: (
    start: {
      readonly program: string
      readonly cwd: string
      readonly prompt: string
      readonly session: SessionUse
    },
    env: Readonly<Record<string, string | undefined>>,
  ) => CommandLine
  readonly outcome: (stream: readonly string[]) => Pick<RehearsalRun, 'session' | 'failed' | 'lacks'>
  readonly patienceMs: number
}

/** Another place to run in, such as a container. */
export type Elsewhere = {
  readonly launch: Launch
  /** Variables that name the folders in which the CLI keeps its things, as this machine sees them. */
  readonly folders: Readonly<Record<string, string>>
}

/** A model has to be named: some releases name it differently in a resumed run, and so break the prefix (2.1.154 to 2.1.267). */
const model = 'claude-sonnet-4-5'
const tools = ['Read', 'Edit', 'Write', 'Bash', 'Glob', 'Grep', 'Task', 'Agent', 'TodoWrite', 'TaskCreate']

const claude: Dialect = {
  line: ({ program, ...start }, env) =>
    commandLine(program, { role: 'worker', ...start, access: 'edit', model, allowedTools: tools }, env),
  outcome: (stream) => {
    const events = stream.flatMap((line) => parseLine(line))
    const result = events.findLast((event) => event.type === 'result')?.result
    const started = events.find((event) => event.type === 'started')
    return { session: result?.session ?? started?.session, failed: result?.isError ?? true }
  },
  patienceMs: 20_000,
}

/** Starts the CLI once against a model server of its own, and waits for its end. */
export const runOnce = async (start: Start): Promise<RehearsalRun> => {
  const {
    program,
    place,
    scenario,
    prompt,
    session,
    extraArgs = [],
    base,
    dialect = claude,
    elsewhere,
  } = start
  const server = await startModelServer({ scenario, variables: { cwd: place.project } })
  try {
    const env = {
      ...probeEnvironment({ url: server.url, home: place.home, base }),
      CLAUDE_CODE_MAX_RETRIES: '0',
      ...elsewhere?.folders,
    }
    const line = dialect.line({ program, cwd: place.project, prompt, session }, env)
    const command = elsewhere === undefined ? line : elsewhere.launch(line)
    const child = spawn(command.file, [...command.args, ...extraArgs], {
      cwd: place.project,
      env: { ...command.env },
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    const texts = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      texts.out += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      texts.err += chunk
    })
    child.stdin.on('error', () => {})
    child.stdin.end(command.stdin)
    if (child.pid !== undefined) place.holds(child.pid)
    const timer = setTimeout(() => endGroup(child.pid), start.patienceMs ?? dialect.patienceMs)
    const [exit] = (await once(child, 'close').finally(() => clearTimeout(timer))) as [number | null]
    const stream = texts.out.split('\n').filter((each) => each.trim() !== '')
    return {
      exit,
      ...dialect.outcome(stream),
      stream,
      stderr: texts.err.slice(-2000),
      requests: server.requests,
    }
  } finally {
    await server.close()
  }
}

const endGroup = (pid: number | undefined): void => {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It is gone.
  }
}

/** The requests of the main conversation, subagents and side requests left out. */
export const mainRequests = ({ requests }: RehearsalRun): readonly RecordedRequest[] =>
  requests.filter(({ role, path }) => role === 'main' && path.startsWith('/v1/messages'))
