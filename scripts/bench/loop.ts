import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { $ } from 'zx'
import { probeEnvironment } from '../../src/probe/environment.ts'
import { ensureRelease, pinned } from '../../src/probe/pinned-cli.ts'
import { parseScenario } from '../../src/probe/scenario.ts'
import { startModelServer } from '../../src/probe/server.ts'
import { type Bench, median, root, yoke } from './measure.ts'

/** Puts a dead branch of 10 MB into the middle of the session, as a check of the task: the next trim has to take it out again. */
const padding = String.raw`
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
const projects = join(process.env.CLAUDE_CONFIG_DIR, 'projects')
const file = readdirSync(projects, { recursive: true }).map((name) => join(projects, name)).find((name) => name.endsWith('.jsonl'))
const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
const first = JSON.parse(lines.find((line) => line.includes('"type":"user"')))
const branch = []
let parent = first.uuid
for (let n = 0; n < 1000; n++) {
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

/** What yoke adds to an iteration beside the agent's own process and the checks, with a session of 10 MB. */
export const benchLoop: Bench = async (folder) => {
  const iterations = 12
  const project = join(folder, 'project')
  const home = join(folder, 'home')
  mkdirSync(project)
  mkdirSync(home)
  writeFileSync(join(folder, 'pad.mjs'), padding)
  writeFileSync(join(project, 'a.txt'), 'kept\n'.repeat(400))
  writeFileSync(
    join(project, 'task.md'),
    `---\nchecks: node ${join(folder, 'pad.mjs')}\nstuck-after: 99\n---\nWork.\n`,
  )
  const tool = (name: string, input: object) => ({ tool: name, input })
  const server = await startModelServer({
    variables: { cwd: project },
    scenario: parseScenario({
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
    }),
  })
  const claude = await ensureRelease('claude', pinned.claude, join(root, '.cache'))
  const env = {
    ...probeEnvironment({ url: server.url, home, base: process.env }),
    PATH: `${dirname(claude)}:${process.env['PATH']}`,
  }
  const run = await $({
    cwd: project,
    env,
    quiet: true,
    nothrow: true,
  })`${yoke} brute task.md --trust --json --max-iterations ${iterations}`
  await server.close()
  const events = run.stdout
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
  console.log(
    `sessions of ${(median(trims.map(({ bytesBefore }) => bytesBefore)) / 1e6).toFixed(1)} MB, ${own.length} iterations`,
  )
  console.log(
    `yoke's own time: median ${median(own)} ms, largest ${Math.max(...own)} ms; of which the trim: median ${median(trims.map(({ durationMs }) => durationMs))} ms`,
  )
}
