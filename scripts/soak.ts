// A long run with random faults: `npx bun scripts/soak.ts [--iterations 300] [--seed 1]`, after `npm run build`. The agent is a stand-in
// that crashes, loses sessions, is killed, hangs, meets limits and fills its context; yoke itself is killed now and then, its log is
// cut off as by a power loss, and it is resumed.
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
  statSync,
  truncateSync,
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

type Sample = { readonly rssMb: number; readonly files: number }

const sample = (pid: number, samples: Sample[]): void => {
  try {
    const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    samples.push({ rssMb: Number(rss) / 1024, files: readdirSync(`/proc/${pid}/fd`).length })
  } catch {
    // It has ended in the meantime.
  }
}

/** The samples of each life. */
const sampled: Sample[][] = []

/** One life of yoke; killed after so many iterations, if it lives that long. */
const live = async (args: readonly string[], killAfter: number): Promise<number | null> => {
  const child = spawn(
    join(root, 'dist', 'yoke'),
    [
      ...args,
      '--json',
      ...['--max-iterations', String(iterations * 3)],
      ...['--stuck-after', '9', '--idle-timeout', '2s'],
    ],
    {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let seen = 0
  const samples: Sample[] = []
  sampled.push(samples)
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    for (const line of chunk.split('\n')) {
      // Killed while an agent works, which is then an orphan.
      if (seen >= killAfter && line.includes('"agent.started"')) child.kill('SIGKILL')
      if (!line.includes('"iteration.finished"')) continue
      seen += 1
      sample(child.pid ?? 0, samples)
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
const runFile = (): string => {
  const [id = ''] = readdirSync(join(project, '.loop', 'runs'))
  return join(project, '.loop', 'runs', id, 'events.jsonl')
}
while (code === null || (code === 5 && givenUp < 9)) {
  lives += 1
  // A power loss takes the end of the last write.
  if (code === null) truncateSync(runFile(), statSync(runFile()).size - 5)
  if (code === 5) givenUp += 1
  code = await live(['resume'], lives < 5 ? mortal : Number.POSITIVE_INFINITY)
}
const events = readJournal(runFile())
const count = (type: string): number => events.filter((event) => event.type === type).length
const classes = new Map<string, number>()
for (const event of events)
  if (event.type === 'agent.finished') classes.set(event.class, (classes.get(event.class) ?? 0) + 1)
const numbers = events.flatMap((event) => (event.type === 'iteration.started' ? [event.iteration] : []))
// A torn log takes the start of an iteration back, which then starts again.
const inOrder = numbers.every((n, index) => {
  const before = numbers[index - 1] ?? 0
  return n === before || n === before + 1
})
/** Of the life that was longest: only one process can show that nothing piles up. */
const samples = sampled.toSorted((one, other) => other.length - one.length)[0] ?? []
const within = (from: number, to: number, key: keyof Sample): readonly number[] =>
  samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)).map((each) => each[key])
// Files come and go with agents: what is never closed raises the fewest, too.
const early = { rssMb: Math.max(...within(0.1, 0.4, 'rssMb')), files: Math.min(...within(0.1, 0.4, 'files')) }
const late = { rssMb: Math.max(...within(0.7, 1, 'rssMb')), files: Math.min(...within(0.7, 1, 'files')) }
const flat = late.rssMb <= early.rssMb * 1.25 + 8 && late.files <= early.files + 2
const right = code === 0 && inOrder && flat
console.log(
  `${right ? 'right' : 'WRONG'}: exit ${code}, ${numbers.length} iterations in ${lives} lives (${givenUp} times given up and resumed), ${((performance.now() - began) / 1000).toFixed(0)} s${inOrder ? '' : ', iterations out of order'}${flat ? '' : ', memory or open files not flat'}`,
)
console.log(`agent: ${[...classes].map(([name, n]) => `${n} ${name}`).join(', ')}`)
console.log(
  `${count('session.stale')} stale, ${count('session.forked')} forked, ${count('trim.applied')} trimmed, ${count('judge.unreadable')} unreadable`,
)
console.log(
  `${count('wait.finished')} waits, ${count('agent.lost')} agents lost with yoke, ${count('iteration.finished')} iterations finished`,
)
console.log(
  `yoke in its longest life (${samples.length} iterations): at most ${early.rssMb.toFixed(0)} MB and at least ${early.files} open files early, ${late.rssMb.toFixed(0)} MB and ${late.files} late`,
)
rmSync(folder, { recursive: true, force: true })
process.exitCode = right ? 0 : 1
