import type { CommandLine } from '../agents/agent.ts'
import { openingPrompt } from '../loop/prompts.ts'
import { initialState } from '../loop/reduce.ts'
import { planSandbox } from '../sandbox/sandbox.ts'
import { loadTask } from '../task/load.ts'
import type { Resolved } from '../task/resolve.ts'
import { castOf } from './cast.ts'
import { playerOf } from './context.ts'
import { loopFolder } from './folder.ts'
import { requireCheckpoints } from './git/repository.ts'
import { readInstructions } from './instructions.ts'
import type { RunRequest } from './start.ts'
import { withBudget } from './steps/agent.ts'
import { judgeInvocation } from './steps/judge.ts'
import { scoperInvocation } from './steps/scoper.ts'
import { workerInvocation } from './steps/worker.ts'

/** A start of an agent as it would be. */
export type PlannedStart = {
  readonly role: 'worker' | 'judge' | 'scoper'
  readonly command: readonly string[]
  /** What the agent gets on its standard input. */
  readonly prompt: string
}

/** What a run would do first; nothing of it was done. */
export type DryRun = Resolved & {
  readonly task: string
  /** In the order in which they would come; those of later turns go on in the worker's session. */
  readonly starts: readonly PlannedStart[]
}

/** Looks at all that a run would stand on. Throws what `startRun` throws before it writes, but for what is asked of the user. */
export const dryRun = async (
  request: Pick<RunRequest, 'project' | 'env' | 'flags' | 'findAgent'>,
  taskFile: string,
  kind: 'brute' | 'saga',
): Promise<DryRun> => {
  const { project, env } = request
  const {
    prompt: task,
    file,
    directives: given,
    origin,
    judgePrompt,
  } = await loadTask({
    file: taskFile,
    cwd: project,
    flags: request.flags,
    env,
  })
  const cast = await castOf(request.findAgent, given, kind)
  const { commit } = await requireCheckpoints(project, given, file)
  const directives = { ...given, commit }
  const instructions = await readInstructions(project)
  const settings = {
    project,
    directives,
    task,
    ...(judgePrompt === undefined ? {} : { judgeWords: judgePrompt }),
    ...(instructions === undefined ? {} : { instructions }),
  }
  const state = initialState(directives, '', 0)
  const opening = openingPrompt(task, state)
  const invocations = [
    ...(kind === 'saga' ? [scoperInvocation(settings, { log: '', cycle: 1, hasSession: false })] : []),
    workerInvocation(project, directives, opening, { kind: 'new' }),
    ...(directives.judge === 'off' ? [] : [judgeInvocation(settings, task)]),
  ]
  const { image } = directives
  const place =
    image === undefined
      ? { env, launch: (command: CommandLine) => command }
      : await planSandbox({ image, project, loop: loopFolder(project).root, directives, env })
  return {
    task: file,
    directives,
    origin,
    starts: await Promise.all(
      invocations.map(async (invocation) => {
        const { agent, agentFile } = playerOf(cast, invocation.role)
        // In an image the agent is not asked: it is taken for the newest release.
        const start = withBudget(invocation, state)
        const installation =
          image === undefined
            ? // The project's configuration may start programs, and nobody has agreed to that yet.
              await agent.inspect(agentFile, env, place.launch, 'of-user', { ...start, allowedTools: [] })
            : undefined
        const line = agent.commandLine(agentFile, start, place.env, installation)
        const { file: program, args } = place.launch(line, invocation.access)
        return {
          role: invocation.role as PlannedStart['role'],
          command: [program, ...args],
          prompt: invocation.prompt,
        }
      }),
    ),
  }
}
