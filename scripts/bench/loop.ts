import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'zx'
import { parseScenario } from '../../src/probe/scenario.ts'
import { startModelServer } from '../../src/probe/server.ts'
import { type Bench, claudeEnvironment, median, spread, timeOf, yoke } from './measure.ts'

/** Puts a dead branch of so many megabytes into the middle of the session, as a check of the task: the next trim has to take it out again. */
const padding = String.raw`
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
const projects = join(process.env.CLAUDE_CONFIG_DIR, 'projects')
const file = readdirSync(projects, { recursive: true }).map((name) => join(projects, name)).find((name) => name.endsWith('.jsonl'))
const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
const first = JSON.parse(lines.find((line) => line.includes('"type":"user"')))
const branch = []
let parent = first.uuid
for (let n = 0; n < 100 * Number(process.argv[2]); n++) {
  // Keys in the order in which Claude Code 2.1.332 writes them.
  const head = (parentUuid) => ({ parentUuid, isSidechain: false })
  const tail = { timestamp: first.timestamp, userType: 'external', entrypoint: 'sdk-cli', cwd: first.cwd, sessionId: first.sessionId, version: first.version, gitBranch: 'HEAD' }
  const use = { ...head(parent), message: { id: 'msg_pad' + n, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [{ type: 'tool_use', id: 'toolu_pad' + n, name: 'Bash', input: { command: 'make' } }], stop_reason: 'tool_use', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } }, type: 'assistant', uuid: crypto.randomUUID(), ...tail }
  const content = ('line of output ' + n + ' with "quotes" and more\n').repeat(110)
  const result = { ...head(use.uuid), promptId: first.promptId, type: 'user', message: { role: 'user', content: [{ tool_use_id: 'toolu_pad' + n, type: 'tool_result', content, is_error: false }] }, uuid: crypto.randomUUID(), ...tail, toolUseResult: { stdout: content, stderr: '' }, sourceToolAssistantUUID: use.uuid }
  parent = result.uuid
  branch.push(JSON.stringify(use), JSON.stringify(result))
}
const at = lines.findIndex((line) => line === lines.find((each) => each.includes('"uuid":"' + first.uuid)))
lines.splice(at + 1, 0, ...branch)
writeFileSync(file, lines.join('\n') + '\n')
`

const tool = (name: string, input: object) => ({ tool: name, input })

const scenario = parseScenario({
  name: 'bench loop',
  repeat: true,
  roles: [
    { name: 'judge', match: 'You are the judge of a task' },
    { name: 'worker', match: '\\.loop/notes\\.md' },
  ],
  script: {
    worker: [
      [
        { blocks: [tool('Read', { file_path: '{{cwd}}/a.txt' })] },
        {
          blocks: [
            tool('Write', {
              file_path: '{{cwd}}/.loop/notes.md',
              content: 'turn {{turn}}\nKEEP: a.txt\n',
            }),
          ],
        },
        { blocks: [{ text: 'Went on.' }] },
      ],
    ],
    judge: [
      [
        { blocks: [{ answer: { verdict: 'continue', reasons: ['turn {{turn}}'], next: '' } }] },
        { blocks: [{ text: 'no' }] },
      ],
    ],
  },
})

/** A loop as people write it by hand: the worker in one session, the check, a judge that only reads. */
const shellLoop = (iterations: number, check: string) => `
id=$(cat /proc/sys/kernel/random/uuid)
session="--session-id $id"
for n in $(seq ${iterations}); do
  printf 'Work, and keep .loop/notes.md up to date.' | claude -p --output-format stream-json --verbose --permission-mode acceptEdits $session >worker.jsonl
  session="--resume $id"
  ${check}
  printf 'You are the judge of a task. Say whether it is done.' | claude -p --output-format json --no-session-persistence --allowed-tools Read >verdict.json
done
`

/** What yoke adds to an iteration beside the agent's own process and the checks, with sessions of some sizes, and next to a shell loop. */
export const benchLoop: Bench = async (folder, { iterations = 12, repeats = 3 }) => {
  const pad = join(folder, 'pad.mjs')
  writeFileSync(pad, padding)
  const place = async (name: string) => {
    const project = join(folder, name, 'project')
    mkdirSync(join(project, '.loop'), { recursive: true })
    writeFileSync(join(project, 'a.txt'), 'kept\n'.repeat(400))
    const server = await startModelServer({ variables: { cwd: project }, scenario })
    return { project, server, env: await claudeEnvironment(join(folder, name), server.url) }
  }

  const sizes: { mb: number; ownMs: readonly number[]; trimMs: readonly number[] }[] = []
  for (const mb of [0.1, 10, 100]) {
    const { project, server, env } = await place(`${mb} MB`)
    writeFileSync(join(project, 'task.md'), `---\nchecks: node ${pad} ${mb}\nstuck-after: 99\n---\nWork.\n`)
    const run = await $({
      cwd: project,
      env,
      quiet: true,
      nothrow: true,
    })`${yoke} brute task.md --trust --json --max-iterations ${iterations}`
    await server.close()
    const { own, trims } = ownTimes(run.stdout)
    sizes.push({ mb, ownMs: own, trimMs: trims })
    console.log(
      `sessions of ${mb} MB: yoke's own time of an iteration ${spread(own)}, of which the trim ${spread(trims)}`,
    )
  }

  // By turns, with nothing to trim: the shell loop trims nothing.
  const seconds: { yoke: number[]; shell: number[] } = { yoke: [], shell: [] }
  for (let round = 0; round < repeats; round++) {
    const one = await place(`yoke ${round}`)
    writeFileSync(join(one.project, 'task.md'), '---\nchecks: "true"\nstuck-after: 99\n---\nWork.\n')
    const two = await place(`shell ${round}`)
    seconds.yoke.push(
      await secondsOf(
        one,
        yoke,
        ...['brute', 'task.md', '--trust', '--quiet', '--max-iterations', String(iterations)],
      ),
    )
    seconds.shell.push(await secondsOf(two, 'sh', '-c', shellLoop(iterations, 'true')))
    await Promise.all([one.server.close(), two.server.close()])
  }
  console.log(
    `${iterations} iterations: yoke ${spread(seconds.yoke, 's')}, a shell loop ${spread(seconds.shell, 's')}: ${(median(seconds.yoke) / median(seconds.shell)).toFixed(2)} times`,
  )
  return {
    assumptions: [
      "yoke's own time is that of an iteration without the agents' processes and the checks.",
      'The model server answers at once; the shell loop trims nothing.',
    ],
    figures: { iterations, sizes, seconds, ofShell: median(seconds.yoke) / median(seconds.shell) },
  }
}

const secondsOf = async (
  { project: cwd, env }: { project: string; env: Readonly<Record<string, string | undefined>> },
  file: string,
  ...args: readonly string[]
): Promise<number> => (await timeOf({ cwd, env }, file, ...args)) / 1000

/** Of each iteration but the first and the last, what the agents and the checks did not take; and the trims; milliseconds. */
const ownTimes = (stdout: string) => {
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const starts = events.filter(({ type }) => type === 'iteration.started')
  const own = starts.slice(1, -1).map((start, index) => {
    const end = Date.parse(starts[index + 2].at)
    const within = events.filter(({ at }) => Date.parse(at) > Date.parse(start.at) && Date.parse(at) <= end)
    const others = within
      .filter(({ type }) => type === 'agent.finished' || type.startsWith('check.'))
      .reduce((sum, { durationMs }) => sum + durationMs, 0)
    return end - Date.parse(start.at) - others
  })
  const trims = events.filter(({ type }) => type === 'trim.applied').slice(1)
  return { own, trims: trims.map(({ durationMs }): number => durationMs) }
}
