// A long run with random faults: `npx bun scripts/soak.ts [--iterations 300] [--seed 1]`, after `npm run build`. The agent is a stand-in
// that crashes, loses sessions, is killed and fills its context; yoke itself is killed now and then, and resumed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv } from 'zx'
import { readJournal } from '../src/run/journal.ts'

const root = join(import.meta.dirname, '..')
const iterations = Number(argv['iterations'] ?? 300)
const seed = Number(argv['seed'] ?? 1)
const folder = mkdtempSync(join(tmpdir(), 'yoke-soak-'))
const project = join(folder, 'project')
const bin = join(folder, 'bin')
for (const each of [project, bin, join(folder, 'count'), join(folder, 'config')]) mkdirSync(each)
copyFileSync(join(root, 'test', 'fixtures', 'soak-agent.mjs'), join(bin, 'claude'))
chmodSync(join(bin, 'claude'), 0o755)
writeFileSync(join(project, 'task.md'), `Work ${iterations} times.\n`)
const env = {
  ...process.env,
  HOME: folder,
  PATH: `${bin}:${process.env['PATH']}`,
  CLAUDE_CONFIG_DIR: join(folder, 'config'),
  SOAK_FOLDER: join(folder, 'count'),
  SOAK_WANTED: String(iterations),
  SOAK_SEED: String(seed),
}

const samples: { readonly rssMb: number; readonly files: number }[] = []
const sample = (pid: number): void => {
  try {
    const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    samples.push({ rssMb: Number(rss) / 1024, files: readdirSync(`/proc/${pid}/fd`).length })
  } catch {
    // It has ended in the meantime.
  }
}

/** One life of yoke; killed after so many iterations, if it lives that long. */
const live = async (args: readonly string[], killAfter: number): Promise<number | null> => {
  const child = spawn(
    join(root, 'dist', 'yoke'),
    [...args, '--json', '--max-iterations', String(iterations * 3), '--stuck-after', '9'],
    {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    for (const line of chunk.split('\n')) {
      if (!line.includes('"iteration.finished"')) continue
      seen += 1
      sample(child.pid ?? 0)
      if (seen === killAfter) child.kill('SIGKILL')
    }
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

const began = performance.now()
let lives = 1
let givenUp = 0
const mortal = Math.ceil(iterations / 6)
let code = await live(['brute', 'task.md'], mortal)
// Two failed resumes in one iteration end a run by design, with exit code 5: a person looks, and resumes it.
while (code === null || (code === 5 && givenUp < 9)) {
  lives += 1
  if (code === 5) givenUp += 1
  code = await live(['resume'], lives < 5 ? mortal : Number.POSITIVE_INFINITY)
}
const [run = ''] = readdirSync(join(project, '.loop', 'runs'))
const events = readJournal(join(project, '.loop', 'runs', run, 'events.jsonl'))
const count = (type: string): number => events.filter((event) => event.type === type).length
const classes = new Map<string, number>()
for (const event of events)
  if (event.type === 'agent.finished') classes.set(event.class, (classes.get(event.class) ?? 0) + 1)
const numbers = events.flatMap((event) => (event.type === 'iteration.started' ? [event.iteration] : []))
const right = code === 0 && numbers.every((n, index) => n === index + 1)
const part = (from: number, to: number) =>
  samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to))
const largest = (of: typeof samples, key: 'rssMb' | 'files') =>
  Math.max(...of.map((each) => each[key])).toFixed(0)
console.log(
  `${right ? 'right' : 'WRONG'}: exit ${code}, ${numbers.length} iterations in ${lives} lives (${givenUp} times given up and resumed), ${((performance.now() - began) / 1000).toFixed(0)} s`,
)
console.log(`agent: ${[...classes].map(([name, n]) => `${n} ${name}`).join(', ')}`)
console.log(
  `${count('session.stale')} stale, ${count('session.forked')} forked, ${count('trim.applied')} trimmed, ${count('judge.unreadable')} unreadable`,
)
console.log(
  `memory of yoke: at most ${largest(part(0, 0.2), 'rssMb')} MB in the first fifth, ${largest(part(0.8, 1), 'rssMb')} MB in the last; open files ${largest(part(0, 0.2), 'files')} and ${largest(part(0.8, 1), 'files')}`,
)
rmSync(folder, { recursive: true, force: true })
process.exitCode = right ? 0 : 1
