import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type ProcessOptions, runProcess } from '../../src/run/process.ts'
import { processStart } from '../../src/system/process-start.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const programs = join(import.meta.dirname, '..', 'fixtures', 'programs')

const run = async (
  name: string,
  options: Partial<ProcessOptions> = {},
  more: { args?: string[]; stdin?: string; env?: Record<string, string> } = {},
) => {
  const lines: string[] = []
  const warnings: string[] = []
  const began = Date.now()
  const ending = await runProcess(
    {
      file: process.execPath,
      args: [join(programs, `${name}.mjs`), ...(more.args ?? [])],
      stdin: more.stdin ?? '',
      env: more.env ?? { PATH: process.env['PATH'] ?? '' },
    },
    {
      cwd: programs,
      onLine: (line) => {
        lines.push(line)
      },
      onWarning: (message) => {
        warnings.push(message)
      },
      ...options,
    },
  )
  return { ...ending, lines, warnings, tookMs: Date.now() - began }
}

const runs = (pid: number) => processStart(pid) !== undefined

describe('a process', () => {
  it('gets its arguments, its folder, its input and its environment, and nothing of the environment of yoke', async () => {
    const { exit, signal, endedBy, lines, stderr } = await run(
      'echo-input',
      {},
      { args: ['a b', ''], stdin: 'the prompt\nö', env: { ONLY: 'this' } },
    )
    const [first, second] = lines.map((line) => JSON.parse(line))
    expect(first).toMatchObject({ args: ['a b', ''], cwd: programs, env: { ONLY: 'this' } })
    expect(first.env).not.toHaveProperty('HOME')
    expect(second).toEqual({ input: 'the prompt\nö' })
    expect({ exit, signal, endedBy, stderr }).toEqual({
      exit: 7,
      signal: null,
      endedBy: undefined,
      stderr: 'a warning\n',
    })
  })

  it('takes an input that is larger than a pipe and than an argument can be', async () => {
    const prompt = 'x'.repeat(3_000_000)
    const { lines } = await run('echo-input', {}, { stdin: prompt })
    expect(JSON.parse(lines[1] ?? '').input).toHaveLength(prompt.length)
  })

  it('may leave its input unread', async () => {
    const { exit, lines } = await run('closes-input', {}, { stdin: 'x'.repeat(3_000_000) })
    expect({ exit, lines }).toEqual({ exit: 0, lines: ['done'] })
  })

  it('gives lines of any length whole, and an unfinished last one', async () => {
    const { lines } = await run('flood')
    expect(lines.map((line) => line.length)).toEqual([10 * 1024 * 1024, 3])
    expect(lines[0]?.includes('\uFFFD')).toBe(false)
  })

  it('keeps the end of standard error only, from a whole character on', async () => {
    const { stderr, exit } = await run('loud-error')
    expect(exit).toBe(1)
    expect(Buffer.byteLength(stderr)).toBeLessThanOrEqual(4096)
    expect(stderr).toMatch(/^é+x$/)
  })

  it('leaves its raw output in files', async () => {
    const folder = await temporaryFolder()
    const [stdoutFile, stderrFile] = [join(folder, 'out'), join(folder, 'err')]
    await run('flood', { stdoutFile, stderrFile })
    await run('loud-error', { stderrFile })
    expect(statSync(stdoutFile).size).toBe(20 * 1024 * 1024 + 4)
    expect(readFileSync(stderrFile, 'utf8')).toBe(`${'é'.repeat(10_000)}x`)
  })

  it('goes on with a warning when its output cannot be kept', async () => {
    const { lines, warnings } = await run('talks', { stdoutFile: '/nonexistent/folder/out' })
    expect(lines).toHaveLength(10)
    expect(warnings).toEqual([expect.stringContaining('not kept')])
  })

  it('that cannot be started is an error that says so', async () => {
    const start = (file: string, cwd: string) =>
      runProcess({ file, args: [], stdin: '', env: {} }, { cwd, onLine: () => {} })
    await expect(start('/nonexistent/agent', programs)).rejects.toMatchObject({
      code: 'E_AGENT_START',
      exit: 1,
    })
    await expect(start(process.execPath, '/nonexistent')).rejects.toMatchObject({ code: 'E_AGENT_START' })
    await expect(start(process.execPath, 'a\0b')).rejects.toMatchObject({ code: 'E_AGENT_START' })
  })

  it('ends when a reader of its lines fails, and the failure is passed on', async () => {
    let pid = 0
    const failing = run('silent', {
      onSpawn: (started) => {
        pid = started
      },
      onLine: () => {
        throw new Error('disk full')
      },
    })
    await expect(failing).rejects.toThrow('disk full')
    expect(runs(pid)).toBe(false)
  })
})

describe('the end of a process', () => {
  it('comes a grace time after its result', async () => {
    const { endedBy, lines, tookMs } = await run('result-then-hang', {
      resultGraceMs: 300,
      iterationTimeoutMs: 20_000,
      finished: () => true,
    })
    expect({ endedBy, lines }).toEqual({ endedBy: 'grace', lines: ['result'] })
    expect(tookMs).toBeLessThan(5_000)
  })

  it('comes a grace time after its last word on standard error', async () => {
    const { endedBy, stderr } = await run('error-then-hang', {
      resultGraceMs: 300,
      iterationTimeoutMs: 20_000,
      onErrorLine: (line) => (line === 'last word' ? 'end' : undefined),
      finished: () => true,
    })
    expect({ endedBy, stderr }).toEqual({ endedBy: 'grace', stderr: 'last word\n' })
  })

  it('is the grace time, not the time limit, when the limit passes after the result', async () => {
    const { endedBy } = await run('result-then-hang', {
      resultGraceMs: 60_000,
      iterationTimeoutMs: 500,
      finished: () => true,
    })
    expect(endedBy).toBe('grace')
  })

  it('comes at once by an abort', async () => {
    const abort = new AbortController()
    const { endedBy, signal } = await run('silent', { signal: abort.signal, onLine: () => abort.abort() })
    expect({ endedBy, signal }).toEqual({ endedBy: 'abort', signal: 'SIGTERM' })
  })

  it('has come before the start when the abort has', async () => {
    const { endedBy, lines } = await run('talks', { signal: AbortSignal.abort() })
    expect({ endedBy, lines }).toEqual({ endedBy: 'abort', lines: [] })
  })

  it('is forced when the process ignores SIGTERM', async () => {
    const abort = new AbortController()
    const { signal, lines } = await run('ignores-sigterm', {
      signal: abort.signal,
      killGraceMs: 300,
      onLine: () => abort.abort(),
    })
    expect(signal).toBe('SIGKILL')
    expect(lines).toEqual([])
  })

  it.skipIf(process.platform !== 'linux').each([
    ['exits by itself', []],
    ['is ended', ['stay']],
  ])('reaches a process that left its group and lost its parent, when the program %s', async (_, args) => {
    const abort = new AbortController()
    let escaped = 0
    const { tookMs } = await run(
      'escaping-grandchild',
      {
        signal: abort.signal,
        killGraceMs: 300,
        onLine: (line) => {
          escaped = Number(line.replace('escaped ', ''))
          if (args.length > 0) abort.abort()
        },
      },
      { args },
    )
    expect(escaped).toBeGreaterThan(0)
    expect(runs(escaped)).toBe(false)
    expect(tookMs).toBeLessThan(8_000)
  })

  it('comes at the time limit, however much the process says', async () => {
    const { endedBy, lines } = await run('talks', { iterationTimeoutMs: 500, idleTimeoutMs: 400 })
    expect(endedBy).toBe('iteration-timeout')
    expect(lines.length).toBeLessThan(10)
  })

  it('comes as soon as all is spent', async () => {
    let seen = 0
    const { endedBy, lines } = await run('talks', { overspent: () => ++seen === 2 })
    expect({ endedBy, isEarly: lines.length < 6 }).toEqual({ endedBy: 'budget', isEarly: true })
  })

  it('comes after silence', async () => {
    const { endedBy, lines, warnings } = await run('silent', { idleTimeoutMs: 600 })
    expect({ endedBy, lines, warnings }).toEqual({ endedBy: 'idle-timeout', lines: ['start'], warnings: [] })
  })

  it('does not come while lines come, though the whole takes longer than the silence allowed', async () => {
    const { endedBy, lines } = await run('talks', { idleTimeoutMs: 700 })
    expect({ endedBy, count: lines.length }).toEqual({ endedBy: undefined, count: 10 })
  })

  it('comes twice as late, after a warning, while a tool runs', async () => {
    const { endedBy, warnings, tookMs } = await run('silent', {
      idleTimeoutMs: 700,
      working: () => 'Bash npm test',
    })
    expect(endedBy).toBe('idle-timeout')
    expect(warnings).toEqual([expect.stringContaining('Bash npm test')])
    expect(tookMs).toBeGreaterThan(1_400)
  })

  it('leaves no timer behind', async () => {
    const { exit } = await run('echo-input', {
      iterationTimeoutMs: 300,
      idleTimeoutMs: 10_000,
      resultGraceMs: 300,
    })
    await sleep(400)
    expect(exit).toBe(7)
  })
})
