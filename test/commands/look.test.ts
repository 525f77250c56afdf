import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { processStart } from '../../src/system/process-start.ts'
import { temporaryFolder } from '../helpers/temporary.ts'
import { yoke } from '../helpers/yoke.ts'
import { agentFinished, begin, longRun, stamped } from '../report/made-run.ts'

const id = '20261201-090000-aaaa'
const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' }

/** A project with a run as it lies on the disk. */
const project = async (events: readonly RunEvent[], run = id) => {
  const cwd = await temporaryFolder()
  const put = (name: string, all: readonly RunEvent[]) => {
    const folder = join(cwd, '.loop/runs', name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'events.jsonl'), all.map((event) => `${JSON.stringify(event)}\n`).join(''))
    return folder
  }
  const folder = put(run, events)
  const lock = join(cwd, '.loop/lock')
  return {
    cwd,
    folder,
    put,
    append: (event: RunEvent) => appendFileSync(join(folder, 'events.jsonl'), `${JSON.stringify(event)}\n`),
    stream: (file: string, lines: readonly unknown[]) => {
      mkdirSync(join(folder, file, '..'), { recursive: true })
      appendFileSync(join(folder, file), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    },
    /** This process plays the yoke that carries the run on. */
    hold: () => {
      const { pid } = process
      const holder = { pid, start: processStart(pid), host: hostname(), run, since: '' }
      writeFileSync(lock, JSON.stringify(holder))
    },
    release: () => rmSync(lock),
    run: (...args: readonly string[]) => yoke(args, { cwd, env }),
  }
}

const said = (text: string) => ({
  type: 'assistant',
  message: { id: 'm', content: [{ type: 'text', text }], usage: null },
})
const read = (path: string) => ({
  type: 'assistant',
  message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'Read', input: { file_path: path } }] },
})

const working = stamped([
  [0, begin],
  [10, { type: 'iteration.started', iteration: 1 }],
  [10, { type: 'agent.started', iteration: 1, role: 'worker', attempt: 1, pid: 1, pidStart: '' }],
])

describe('yoke runs', () => {
  it('lists every run, also one that is damaged, and says which goes on', async () => {
    const at = await project(longRun(3).events)
    at.put('20261130-080000-bbbb', working)
    at.put('20261130-090000-cccc', [])
    const list = await at.run('runs')
    expect(list).toMatchObject({ code: 0, stderr: '' })
    expect(list.stdout).toMatch(/bbbb +stopped +1 /)
    expect(list.stdout).toMatch(/cccc +unreadable/)
    expect(list.stdout).toMatch(/aaaa +done +3 /)
    const json = (await at.run('runs', '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(json.map(({ state }) => state)).toEqual(['stopped', 'unreadable', 'done'])
  })

  it('says how to begin where there is none', async () => {
    const cwd = await temporaryFolder()
    const list = await yoke(['runs'], { cwd, env })
    expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining('yoke brute') })
  })
})

describe('yoke status', () => {
  it('says of a run that died how it goes on', async () => {
    const at = await project(working)
    expect((await at.run('status')).stdout).toMatch(/state +stopped\nto do +`yoke resume` goes on/)
  })

  it('shows of a saga its cycle, the periodics that are due and why a fork comes', async () => {
    const directives = {
      'context-fork-every': 1,
      periodics: [
        { name: 'docs', every: 1, prompt: 'x' },
        { name: 'tidy', every: 3, prompt: 'x' },
      ],
    }
    const plan = { status: 'plan', title: 'Keep digits', plan: 'Do it.', handoff: 'fresh' } as const
    const at = await project(
      stamped([
        [0, { ...begin, kind: 'saga', directives }],
        [0, { type: 'cycle.planned', cycle: 1, ...plan }],
        [0, { type: 'cycle.started', cycle: 1, title: plan.title, handoff: 'fresh', commit: null }],
        [0, { type: 'iteration.started', iteration: 1 }],
        [0, { type: 'session.opened', role: 'worker', session: 's1' }],
        [0, agentFinished('worker', 1)],
        [0, { type: 'notes.read', keep: [], reset: false, digest: '' }],
        [0, { type: 'trim.skipped', reason: 'no KEEP' }],
        [0, { type: 'judge.verdict', iteration: 1, verdict: 'continue', reasons: [], next: '' }],
        [0, { type: 'iteration.finished', iteration: 1, progress: 'p1' }],
      ]),
    )
    const { stdout } = await at.run('status')
    expect(stdout).toMatch(/^cycle +1 of 10: Keep digits$/m)
    expect(stdout).toMatch(/^iteration +1 of 20 in this cycle, 1 in all/m)
    expect(stdout).toMatch(/^periodics +docs now, tidy after 2 more iterations$/m)
    expect(stdout).toMatch(/^next fork +the session has lasted 1 turn/m)
    expect(JSON.parse((await at.run('status', '--json')).stdout)).toMatchObject({
      cycle: 1,
      nextPeriodics: [
        { name: 'docs', after: 1, isDue: true },
        { name: 'tidy', after: 3, isDue: false },
      ],
      nextFork: expect.stringContaining('context-fork-every: 1'),
    })
  })

  it('shows what the agent does now, from its event stream', async () => {
    const at = await project(working)
    at.hold()
    at.stream('iterations/1/worker.stream.jsonl', [said('I look.'), read('/home/me/project/src/a.ts')])
    const status = await at.run('status', '--json')
    expect(JSON.parse(status.stdout)).toMatchObject({ state: 'running', now: 'worker: Read src/a.ts' })
  })

  it('--watch goes on until the run ends', async () => {
    const { events } = longRun(1)
    const at = await project(events.slice(0, 3))
    at.hold()
    const seen: string[] = []
    const watch = yoke(['status', '--watch', '--json'], {
      cwd: at.cwd,
      env,
      onLine: (line) => {
        seen.push(JSON.parse(line).state)
        if (seen.length > 1) return
        for (const event of events.slice(3)) at.append(event)
        at.release()
      },
    })
    expect((await watch).code).toBe(0)
    expect(seen).toEqual(['running', 'done'])
  })
})

describe('yoke logs', () => {
  it('shows in full what the agent said and did, in its place among the events', async () => {
    const at = await project(longRun(2).events.filter(({ type }) => type !== 'judge.verdict'))
    const start = { type: 'agent.started', iteration: 2, role: 'worker', attempt: 1, pid: 1, pidStart: '' }
    const events = readFileSync(join(at.folder, 'events.jsonl'), 'utf8').trimEnd().split('\n')
    const second = events.findIndex((line) => line.includes('"iteration.started","iteration":2'))
    events.splice(second + 1, 0, JSON.stringify({ ...start, at: '2026-12-01T09:05:00.000Z', run: id }))
    writeFileSync(join(at.folder, 'events.jsonl'), `${events.join('\n')}\n`)
    const long = 'word '.repeat(100).trim()
    at.stream('iterations/2/worker.stream.jsonl', [
      said(`${long}\nsecond line\u001b[2J`),
      read('/home/me/project/a.ts'),
    ])
    const { stdout } = await at.run('logs', '--iteration', '2')
    expect(stdout).not.toContain('Iteration 1')
    expect(stdout).toContain(`  ── worker\n  ${long}\n  second line�[2J\n  Read a.ts\n  worker: `)
  })

  it('-f shows what comes, and ends with the run', async () => {
    const at = await project(working)
    at.hold()
    const seen: string[] = []
    const file = 'iterations/1/worker.stream.jsonl'
    at.stream(file, [said('the first')])
    const end = longRun(1).events.at(-1)
    const follow = yoke(['logs', '-f'], {
      cwd: at.cwd,
      env,
      onLine: (line) => {
        seen.push(line.trim())
        if (line.includes('the first')) at.stream(file, [said('the second')])
        if (line.includes('the second')) {
          if (end !== undefined) at.append(end)
          at.release()
        }
      },
    })
    expect(await follow).toMatchObject({ code: 0, stderr: '' })
    expect(seen.filter((line) => line.startsWith('the '))).toEqual(['the first', 'the second'])
    expect(seen.at(-1)).toBe('done The option is documented.')
  })

  it('passes over what a newer yoke wrote', async () => {
    const at = await project(working)
    const stranger = { type: 'future.event', at: '2026-12-01T09:00:00.000Z', run: id } as unknown as RunEvent
    const { folder } = at
    expect((await at.run('logs')).code).toBe(0)
    appendFileSync(join(folder, 'events.jsonl'), `${JSON.stringify(stranger)}\n`)
    const logs = await at.run('logs')
    expect(logs.stderr).not.toContain('bug in yoke')
  })

  it.each([['0'], ['3'], ['x']])('refuses iteration %s', async (n) => {
    const at = await project(longRun(2).events)
    const logs = await at.run('logs', '--iteration', n)
    expect(logs).toMatchObject({ code: 2, stderr: expect.stringContaining('Name one from 1 to 2.') })
  })
})

describe('yoke report', () => {
  it('prints a table, JSON or a page', async () => {
    const at = await project(longRun(3).events)
    expect((await at.run('report')).stdout).toMatch(/^3 +done /m)
    expect(JSON.parse((await at.run('report', '--json')).stdout).iterations).toHaveLength(3)
    await at.run('report', '--html', 'page.html')
    expect(readFileSync(join(at.cwd, 'page.html'), 'utf8')).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/)
  })

  it('writes over an older report, and over nothing else', async () => {
    const at = await project(longRun(1).events)
    const file = join(at.cwd, 'page.html')
    expect(await at.run('report', '--html', 'page.html')).toMatchObject({ code: 0 })
    expect(await at.run('report', '--html', 'page.html')).toMatchObject({ code: 0 })
    writeFileSync(file, 'mine')
    expect(await at.run('report', '--html', 'page.html')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('[E_EXISTS]'),
    })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(await at.run('report', '--html', 'page.html', '--force')).toMatchObject({ code: 0 })
    expect(await at.run('report', '--html', 'no/such/folder.html')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[E_NOT_WRITABLE]'),
    })
  })
})
