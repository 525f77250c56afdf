import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, spread, yoke } from './measure.ts'

/**
 * Stands for Claude Code, which says nothing, or `perSecond` things a second, for twelve seconds: a real one cannot be made to go on so
 * evenly.
 */
const agent = (perSecond: number) => `#!/usr/bin/env node
const session = '11111111-1111-4111-8111-111111111111'
const say = (event) => process.stdout.write(JSON.stringify({ session_id: session, ...event }) + '\\n')
if (process.argv.includes('--version')) { console.log('2.1.332 (Claude Code)'); process.exit() }
say({ type: 'system', subtype: 'init', cwd: process.cwd(), model: 'claude-sonnet-4-5', tools: [], permissionMode: 'acceptEdits', apiKeySource: 'none' })
let said = 0
const text = () => say({ type: 'assistant', message: { id: 'msg_' + said, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: said++ % 2 ? [{ type: 'text', text: 'Going on with step ' + said + '.' }] : [{ type: 'tool_use', id: 'toolu_' + said, name: 'Read', input: { file_path: '/x/file-' + said + '.ts' } }], usage: { input_tokens: 1, output_tokens: 1 } } })
const began = Date.now()
const timer = setInterval(() => {
  while (said < (Date.now() - began) / 1000 * ${perSecond}) text()
  if (Date.now() - began < 12_000) return
  clearInterval(timer)
  process.exit(1)
}, 20)
`

/** What of a core yoke itself takes, and its memory, while the agent works: with the live view on a terminal, and into a file. */
export const benchIdle: Bench = async (folder, { repeats = 1 }) => {
  const settings = [0, 5, 1000].flatMap((perSecond) =>
    ['live view', '--json'].map((shown) => ({
      perSecond,
      shown,
      cpu: [] as number[],
      memoryMb: [] as number[],
    })),
  )
  for (let round = 0; round < repeats; round++)
    for (const [index, { perSecond, shown, cpu, memoryMb }] of settings.entries()) {
      const place = join(folder, `${round}-${index}`)
      const project = join(place, 'project')
      mkdirSync(project, { recursive: true })
      writeFileSync(join(project, 'task.md'), '---\njudge: off\nchecks: "true"\n---\nWork.\n')
      writeFileSync(join(place, 'claude'), agent(perSecond))
      chmodSync(join(place, 'claude'), 0o755)
      const seen = await watch(project, place, shown === '--json' ? ['--json'] : [])
      cpu.push(100 * seen.cpu)
      memoryMb.push(seen.memoryMb)
    }
  for (const { perSecond, shown, cpu, memoryMb } of settings)
    console.log(
      `${String(perSecond).padStart(5)} events a second, ${shown.padEnd(9)}: ${spread(cpu, '%')} of a core, ${spread(memoryMb, 'MB')}`,
    )
  return {
    assumptions: [
      'Eight seconds each, from the third on; an agent made for it that speaks so often; memory is what is resident.',
    ],
    figures: settings,
  }
}

const watch = async (cwd: string, place: string, flags: readonly string[]) => {
  const { CI: _, ...inherited } = process.env
  const command = [yoke, 'brute', 'task.md', '--trust', '--max-iterations', '1', ...flags].join(' ')
  // `exec`: the process that `script` starts becomes yoke.
  const terminal = spawn(
    'script',
    ['-qfec', `stty cols 100 rows 30; echo $$ >${place}/pid; exec ${command}`, '/dev/null'],
    {
      cwd,
      env: {
        ...inherited,
        TERM: 'xterm-256color',
        PATH: `${place}:${process.env['PATH']}`,
        HOME: place,
        ANTHROPIC_API_KEY: 'none',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    },
  )
  await sleep(2_000)
  const pid = Number(readFileSync(join(place, 'pid'), 'utf8'))
  const [before, began] = [cpuOf(pid), performance.now()]
  await sleep(8_000)
  const cpu = (cpuOf(pid) - before) / ((performance.now() - began) / 1000)
  const memoryMb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  if (terminal.pid !== undefined) process.kill(-terminal.pid, 'SIGKILL')
  return { cpu, memoryMb }
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** Seconds of a core that a process has taken, of its own; of Linux, whose clock ticks a hundred times a second. */
const cpuOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
