import { randomUUID } from 'node:crypto'
import { exitCode, YokeError } from '../errors.ts'
import type { NewEvent, RunEvent } from '../events.ts'
import { prepareSandbox, requireSandbox, type SandboxRequest } from '../sandbox/sandbox.ts'
import { fileFormat } from '../system/file-format.ts'
import { keepAwake } from '../system/keep-awake.ts'
import { asInput, type Directives } from '../task/directives.ts'
import { grantsOf, powersOf } from '../task/grants.ts'
import { loadTask, type Task, withPeriodicPrompts } from '../task/load.ts'
import { resolveDirectives } from '../task/resolve.ts'
import { printable } from '../ui/format.ts'
import { version } from '../version.ts'
import { carryOut, type RunListener } from './carry-out.ts'
import { castOf, type FindAgent } from './cast.ts'
import type { Cast, InstalledAgent, RunSettings } from './context.ts'
import { createRunFolder, ensureLoopFolder, loopFolder, newRunId, readNotes, runFolder } from './folder.ts'
import { requireCheckpoints, requireSameBranch, switchToBranch } from './git/repository.ts'
import { addWorktree, settleWorktree, type Worktree } from './git/worktree.ts'
import { headCommit } from './head.ts'
import { readInstructions } from './instructions.ts'
import { takeLock } from './lock.ts'
import { runOnFinish } from './on-finish.ts'
import { openRun, readPrompts } from './open-run.ts'
import { endOrphan, endOrphanOfNewestRun } from './orphan.ts'
import { progressFingerprint } from './progress.ts'
import { holdSignals } from './signals.ts'
import { forgetHolds } from './steer.ts'
import { workerInvocation } from './steps/worker.ts'
import { type AskForTrust, rememberTrust, requireTrust } from './trust.ts'

export type RunRequest = Pick<RunSettings, 'project' | 'env' | 'others' | 'heldSignal'> &
  RunListener & {
    /** Directives from the command line, by key. */
    readonly flags: Readonly<Record<string, unknown>>
    readonly askForTrust: AskForTrust
    readonly findAgent: FindAgent
    /** Hears what became of the run's worktree; standard error when it is left out. */
    readonly onNote?: ((text: string) => void) | undefined
    /** The run works in a worktree of its own. */
    readonly worktree?: { readonly name?: string } | undefined
  }

type End = RunEvent & { type: 'run.finished' }

/** Begins a run of a task file, as the user named it. Everything that can be wrong is found before anything is written. */
export const startRun = async (
  request: RunRequest,
  taskFile: string,
  kind: 'brute' | 'saga' = 'brute',
): Promise<End> => {
  const beginning = await lookAtTask(request, taskFile, kind)
  return request.worktree === undefined ? begin(request, beginning) : beginInWorktree(request, beginning)
}

/** Reads a task, has the user agree to what it asks for, and finds its agents; writes nothing in the project. */
export const lookAtTask = async (
  request: RunRequest,
  taskFile: string,
  kind: 'brute' | 'saga',
): Promise<Beginning> => {
  const { project, env } = request
  const task = await loadTask({ file: taskFile, cwd: project, flags: request.flags, env })
  await requireTrust(project, grantsOf(task), env, request.askForTrust)
  const cast = await castOf(request.findAgent, task.directives, kind)
  refuseArguments(cast.worker, project, task.directives, env)
  return { task, cast, kind }
}

type Beginning = { readonly task: Task; readonly cast: Cast; readonly kind: 'brute' | 'saga' }

/** The run gets a worktree of its own, which goes again if nothing comes of it, whatever the way out. */
const beginInWorktree = async (request: RunRequest, { task, ...rest }: Beginning): Promise<End> => {
  const { project, worktree, heldSignal } = request
  const early = holdSignals()
  let place: Worktree | undefined
  try {
    place = await addWorktree(project, {
      name: worktree?.name,
      taskFile: task.file,
      branch: task.directives.branch,
    })
    const directives = { ...task.directives, branch: place.branch }
    return await begin(
      {
        ...request,
        project: place.project,
        heldSignal: () => early.held() ?? heldSignal?.(),
      },
      { ...rest, task: { ...task, directives } },
    )
  } finally {
    if (place !== undefined) await tellOfWorktree(place.project, request.onNote)
    early.release()
  }
}

const tellOfWorktree = async (project: string, tell: RunRequest['onNote'] = noteOnError): Promise<void> => {
  const said = await settleWorktree(project)
  if (said !== undefined) tell(said)
}

const noteOnError = (text: string): void => void process.stderr.write(printable(`yoke: ${text}\n`))

/** Begins the run in the project, once all that does not depend on its place has been looked at. */
const begin = async (request: RunRequest, { task, cast, kind }: Beginning): Promise<End> => {
  const { project, env } = request
  const loop = loopFolder(project)
  await requirePlace(cast, { project, loop: loop.root, directives: task.directives, env })
  const { commit, warning } = await requireCheckpoints(project, task.directives, task.file)
  const directives = { ...task.directives, commit }
  await ensureLoopFolder(loop)
  await rememberTrust(project, powersOf(directives), env)
  const run = runFolder(loop, newRunId(new Date(), randomUUID()))
  const release = await takeLock(loop.lock, run.id, new Date())
  try {
    await endOrphanOfNewestRun(loop)
    if (directives.branch !== undefined) await switchToBranch(project, directives.branch)
    const instructions = await readInstructions(project)
    await createRunFolder(run, {
      task: task.prompt,
      ...(task.judgePrompt === undefined ? {} : { judge: task.judgePrompt }),
      ...(instructions === undefined ? {} : { instructions }),
    })
    const settings = {
      ...request,
      others: othersFor(request, task),
      ...(await readPrompts(run)),
      loop,
      run,
      taskFile: task.file,
      cast,
      directives,
      notices: noticesOf(warning),
      now: Date.now,
      random: Math.random,
    }
    return await carry(
      settings,
      {
        type: 'run.started',
        kind,
        yoke: version,
        format: fileFormat,
        task: task.file,
        cwd: project,
        agent: cast.worker.agent.name,
        agentFile: cast.worker.agentFile,
        progress: await progressFingerprint(project, readNotes(loop.notes)),
        ...(commit === 'off' ? {} : { commit: await headCommit(project) }),
        directives: asInput(directives),
      },
      [],
    )
  } finally {
    await release()
  }
}

/** Goes on with a run that was stopped, with what the command line changes of its directives. */
export const resumeRun = async (request: RunRequest, wanted: string | undefined): Promise<End> => {
  const { project } = request
  const loop = loopFolder(project)
  const { folder: run } = await openRun(loop, wanted)
  const release = await takeLock(loop.lock, run.id, new Date())
  try {
    const { begin, events, state, directives: stored } = await openRun(loop, run.id)
    if (state.finished === 'done')
      throw new YokeError(
        'E_RUN_DONE',
        `The run ${run.id} is done.`,
        'Start another one with `yoke brute`.',
        exitCode.usage,
      )
    const resolved = resolveDirectives([
      { name: 'flag', where: '', values: request.flags },
      { name: 'stored', where: run.events, values: asInput(stored) },
    ])
    await requireTrust(project, powersOf(stored), request.env, request.askForTrust)
    const directives = withPeriodicPrompts(resolved.directives, project, request.env)
    const cast = await castOf(request.findAgent, directives, begin.kind)
    refuseArguments(cast.worker, project, directives, request.env)
    await requirePlace(cast, { project, loop: loop.root, directives, env: request.env })
    await rememberTrust(project, powersOf(directives), request.env)
    await requireSameBranch(project, directives, state.commit !== undefined ? undefined : begin.task)
    await endOrphan(events)
    await forgetHolds(run)
    const prompts = await readPrompts(run)
    const isOff = (directives.commit ?? 'off') === 'off'
    // What others have committed between two iterations is none of this run's work.
    const isNews = !isOff && (state.commit === undefined || state.phase.at === 'ready')
    return await carry(
      {
        ...request,
        ...prompts,
        ...{ loop, run, cast, directives, taskFile: begin.task },
        now: Date.now,
        random: Math.random,
      },
      {
        type: 'run.resumed',
        yoke: version,
        format: fileFormat,
        ...(isNews ? { commit: await headCommit(project) } : {}),
        ...placeOf(events, project, cast.worker),
        directives: asInput(directives),
      },
      events,
    )
  } finally {
    await release()
    await tellOfWorktree(project, request.onNote)
  }
}

/** Where a resumed run works, and where it worked before, if its sessions are bound to that folder. */
const placeOf = (
  past: readonly RunEvent[],
  project: string,
  { agent }: InstalledAgent,
): { readonly cwd: string; readonly movedFrom?: string } => {
  const before = past.reduce(
    (cwd, event) => (event.type === 'run.started' || event.type === 'run.resumed' ? (event.cwd ?? cwd) : cwd),
    project,
  )
  return {
    cwd: project,
    ...(before === project || agent.bindsSessions === undefined ? {} : { movedFrom: before }),
  }
}

/** A limit of cost that the task itself names is its own; any other is shared. */
const othersFor = ({ others }: RunRequest, { origin }: Task): RunSettings['others'] =>
  others === undefined || origin['max-cost-usd'] !== 'front matter'
    ? others
    : () => ({ ...others(), costUsd: 0, working: 0 })

const noticesOf = (warning: string | undefined): readonly NewEvent[] =>
  warning === undefined ? [] : [{ type: 'warning', code: 'W_NO_COMMITS', message: warning }]

/** Carries the run to its end, and tells the user's `on-finish` command of it. */
const carry = async (
  settings: RunSettings & RunListener,
  begin: NewEvent,
  past: readonly RunEvent[],
): Promise<End> => {
  const release = settings.directives['keep-awake'] ? keepAwake(settings.env) : () => undefined
  const end = await runInPlace(settings, begin, past).finally(release)
  const { 'on-finish': command } = settings.directives
  const problem =
    command === undefined ? undefined : await runOnFinish(command, end, settings.project, settings.env)
  if (problem !== undefined) process.stderr.write(`yoke: ${problem}\n`)
  return end
}

/** Carries the run on the host, or, with `image`, in containers that are gone afterwards. */
const runInPlace = async (
  settings: RunSettings & RunListener,
  begin: NewEvent,
  past: readonly RunEvent[],
): Promise<End> => {
  const { image } = settings.directives
  if (image === undefined) return carryOut(settings, begin, past)
  const { project, directives, env, loop, run } = settings
  const sandbox = await prepareSandbox({ image, project, loop: loop.root, run: run.id, directives, env })
  try {
    return await carryOut({ ...settings, env: sandbox.env, place: sandbox }, begin, past)
  } finally {
    for (const problem of await sandbox.clean()) process.stderr.write(`yoke: ${problem}\n`)
  }
}

/** Throws what keeps an agent from working in the image that the directives name. */
const requirePlace = async (cast: Cast, request: Omit<SandboxRequest, 'image'>): Promise<void> => {
  const { image } = request.directives
  if (image === undefined) return
  for (const agent of new Set(Object.values(cast).map((each) => each.agent)))
    await requireSandbox(agent, { ...request, image })
}

/** Throws `E_AGENT_ARGS` or `E_AGENT_CONFIG` for what the agent's command line would refuse, before anything is written. */
const refuseArguments = (
  { agent, agentFile }: InstalledAgent,
  cwd: string,
  directives: Directives,
  env: RunSettings['env'],
): void => {
  agent.commandLine(agentFile, workerInvocation(cwd, directives, '', { kind: 'new' }), env)
}
