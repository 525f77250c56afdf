import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { readJournal } from '../../src/run/journal.ts'
import { jobCommand, workflowScript } from '../helpers/deploy.ts'
import { podmanIsPossible, startPodman, type TestEngine, testImage } from '../helpers/engines.ts'
import { yoke, yokeFile } from '../helpers/yoke.ts'
import { place, twoFiles } from './project.ts'
import { claude } from './sandbox-place.ts'

const { files, scenario } = twoFiles()

const runsOf = (project: string): readonly (readonly RunEvent[])[] =>
  readdirSync(join(project, '.loop/runs'))
    .sort()
    .map((run) => readJournal(join(project, '.loop/runs', run, 'events.jsonl')))

/** Nothing lost, nothing twice. */
const expectWhole = (events: readonly RunEvent[], iterations: readonly number[]): void => {
  const numbers = (type: 'iteration.started' | 'iteration.finished') =>
    events.flatMap((event) => (event.type === type ? [event.iteration] : []))
  expect(numbers('iteration.started')).toEqual(iterations)
  expect(numbers('iteration.finished')).toEqual(iterations)
  expect(events.at(-1)).toMatchObject({ type: 'run.finished', result: 'done' })
}

describe('the command of the Job, with the real Claude Code', () => {
  const args = jobCommand().slice(1)

  it('goes on after a kill, does nothing once it is done, and begins a changed task', {
    timeout: 60_000,
  }, async () => {
    const { project, env } = await place({ files, scenario })
    const killed = await yoke(args, {
      cwd: project,
      env,
      onLine: (line, pid) => void (line.includes('Iteration 2') && process.kill(pid, 'SIGKILL')),
    })
    expect(killed.code).toBe(null)
    expect(await yoke(args, { cwd: project, env })).toMatchObject({ code: 0, stderr: '' })
    const [events = [], ...more] = runsOf(project)
    expect(more).toEqual([])
    expectWhole(events, [1, 2])
    expect(await yoke(args, { cwd: project, env })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('of this task is done'),
    })
    expect(runsOf(project)).toEqual([events])
    appendFileSync(join(project, 'task.md'), 'And name them.\n')
    expect((await yoke(args, { cwd: project, env })).code).toBe(0)
    expect(runsOf(project)).toHaveLength(2)
  })
})

const isNight = process.env['YOKE_NIGHTLY'] === '1'

describe.skipIf(!isNight)('the slices of the workflow, with the real Claude Code', () => {
  it('end with 143 and go on in another job, on a branch', { timeout: 60_000 }, async () => {
    const { project, env: given } = await place({
      files: { ...files, 'task.md': files['task.md'].replace('-ge 2', '-ge 3') },
      scenario: twoFiles(1500).scenario,
      name: 'state/project',
    })
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-C', project, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], {
        encoding: 'utf8',
      })
    git('init', '--quiet', '--initial-branch', 'main')
    git('add', '.')
    git('commit', '--quiet', '-m', 'begin')
    const bin = join(dirname(project), 'bin')
    mkdirSync(bin)
    symlinkSync(yokeFile, join(bin, 'yoke'))
    const output = join(dirname(project), 'output')
    const env = {
      ...given,
      PATH: `${bin}:${given.PATH}`,
      STATE: dirname(project),
      GITHUB_OUTPUT: output,
      GITHUB_REF_NAME: 'main',
      ...{
        GIT_AUTHOR_NAME: 'yoke',
        GIT_AUTHOR_EMAIL: 'y@b.c',
        GIT_COMMITTER_NAME: 'yoke',
        GIT_COMMITTER_EMAIL: 'y@b.c',
      },
    }
    const slice = async (length: string) => {
      writeFileSync(output, '')
      const shell = spawn('bash', ['-eo', 'pipefail', '-c', workflowScript('Work')], {
        env: { ...env, SLICE: length },
        stdio: 'ignore',
      })
      expect(await once(shell, 'close')).toEqual([0, null])
      return readFileSync(output, 'utf8').trim()
    }
    expect(await slice('2.5s')).toBe('code=143')
    const [first = []] = runsOf(project)
    expect(first.slice(-2)).toMatchObject([
      { type: 'iteration.finished' },
      { type: 'run.finished', result: 'terminated' },
    ])
    // What a job that was killed on another machine leaves.
    const lock = { pid: 1, start: '1', host: 'another-runner', run: 'r', since: '' }
    writeFileSync(join(project, '.loop', 'lock'), JSON.stringify(lock))
    expect(await slice('60s')).toBe('code=0')
    const [events = [], ...more] = runsOf(project)
    expect(more).toEqual([])
    expectWhole(events, [1, 2, 3])
    expect(git('log', '--format=%s', 'main..yoke/main').trim().split('\n').length).toBeGreaterThanOrEqual(1)
    expect(
      git('ls-tree', '--name-only', 'yoke/main')
        .split('\n')
        .filter((name) => name.startsWith('step-')),
    ).toHaveLength(3)
  })
})

describe.skipIf(!isNight || !podmanIsPossible)('the command of the Job in containers', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startPodman([claude(), yokeFile])
  }, 120_000)
  afterAll(() => engine?.stop(), 60_000)

  it('goes on in the next container when one is killed', { timeout: 240_000 }, async () => {
    const { project, home, env } = await place({ files, scenario })
    const pod = async (host: string, onLine: (line: string, kill: () => void) => void = () => {}) => {
      const passed = Object.entries(env).flatMap(([name, value]) =>
        name === 'PATH' ? [] : ['--env', `${name}=${value}`],
      )
      const [program = '', ...rest] = jobCommand()
      const child = spawn(
        'podman',
        [
          ...['run', '--rm', '--name', 'pod', '--hostname', host, '--network', 'host', '--workdir', project],
          ...['--volume', `${project}:${project}`, '--volume', `${home}:${home}`, ...passed],
          ...[
            '--volume',
            `${claude()}:/usr/local/bin/claude:ro`,
            '--volume',
            `${yokeFile}:/usr/local/bin/yoke:ro`,
          ],
          ...['--entrypoint', `/usr/local/bin/${program}`, testImage, ...rest],
        ],
        { env: { ...process.env, ...engine.env }, stdio: ['ignore', 'pipe', 'pipe'] },
      )
      let text = ''
      const hear = (chunk: Buffer) => {
        text += chunk
        onLine(text, () => engine.ask('kill', '--signal', 'KILL', 'pod'))
      }
      child.stdout.on('data', hear)
      child.stderr.on('data', hear)
      const [code] = await once(child, 'close')
      return { code, text }
    }
    let isKilled = false
    const killed = await pod('yoke', (text, kill) => {
      if (isKilled || !text.includes('Iteration 2')) return
      isKilled = true
      kill()
    })
    expect(killed.code).toBe(137)
    // Another name is that of another machine, on which the holder of the lock may be alive.
    expect(await pod('other')).toMatchObject({ code: 6, text: expect.stringContaining('E_LOCKED') })
    expect(await pod('yoke')).toMatchObject({ code: 0 })
    const [events = [], ...more] = runsOf(project)
    expect(more).toEqual([])
    expectWhole(events, [1, 2])
  })
})
