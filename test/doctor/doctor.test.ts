import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { slug } from '../../src/agents/claude/slug.ts'
import { checks } from '../../src/doctor/doctor.ts'
import { temporaryFolder } from '../helpers/temporary.ts'
import { yoke } from '../helpers/yoke.ts'

type Row = {
  readonly id: string
  readonly status: string
  readonly found: string
  readonly fix: string
}

const claude = process.env['YOKE_TEST_CLAUDE'] ?? ''

const place = async () => {
  const root = await temporaryFolder()
  const project = join(root, 'project')
  const home = join(root, 'home')
  mkdirSync(project)
  mkdirSync(home)
  const env = { HOME: home, PATH: `${dirname(claude)}:/usr/bin:/bin` }
  return { project, home, env }
}

const examine = async (
  { project, env }: { readonly project: string; readonly env: Readonly<Record<string, string>> },
  ...args: readonly string[]
) => {
  const { code, stdout, stderr } = await yoke(['doctor', '--json', ...args], { cwd: project, env })
  expect(stderr).toBe('')
  const { ok, rows } = JSON.parse(stdout) as { readonly ok: boolean; readonly rows: readonly Row[] }
  return { code, ok, rows, text: stdout, row: (id: string) => rows.find((row) => row.id === id) }
}

/** Every file below a folder, with its content and times. */
const contents = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => [path, readFileSync(path, 'latin1'), statSync(path).mtimeMs])

it('has a file, an id and a row for each check', () => {
  const files = readdirSync(join(import.meta.dirname, '..', '..', 'src', 'doctor', 'checks'))
  expect(checks.map(({ id }) => id)).toHaveLength(files.length)
  expect(new Set(checks.map(({ id }) => id)).size).toBe(files.length)
})

describe('yoke doctor', () => {
  it('finds a machine with an agent and without sessions well', async () => {
    const { code, ok, rows, row } = await examine(await place())
    expect(rows.filter(({ status }) => status === 'fail')).toEqual([])
    expect({ code, ok }).toEqual({ code: 0, ok: true })
    expect(row('agent')).toMatchObject({ status: 'ok', found: expect.stringContaining('2.1.332') })
    expect(row('login')).toMatchObject({ status: 'warn', fix: expect.stringContaining('claude auth login') })
  })

  it('fails without an agent, and names the command that installs it', async () => {
    const where = await place()
    const { code, row } = await examine({ ...where, env: { ...where.env, PATH: '/usr/bin:/bin' } })
    expect(code).toBe(1)
    expect(row('agent')).toMatchObject({ status: 'fail', fix: expect.stringContaining('npm install') })
  })

  it('looks into the sessions of the project, tells nothing of what they say, and changes nothing', async () => {
    const where = await place()
    const secret = 'sk-ant-planted-4711'
    const folder = join(where.home, '.claude', 'projects', slug(where.project))
    mkdirSync(folder, { recursive: true })
    const record = (over: object) =>
      JSON.stringify({
        parentUuid: null,
        isSidechain: false,
        type: 'user',
        message: { role: 'user', content: `my prompt and ${secret}` },
        uuid: '11111111-1111-4111-8111-111111111111',
        timestamp: '2026-12-01T09:00:00.000Z',
        cwd: '/elsewhere',
        sessionId: 's',
        version: '9.9.9',
        ...over,
      })
    const session = join(folder, '22222222-2222-4222-8222-222222222222.jsonl')
    writeFileSync(session, `${record({})}\n${record({ uuid: 7, novel: secret })}\n{"cut off`)
    mkdirSync(join(where.project, '.loop'))
    writeFileSync(join(where.project, '.loop', 'config.yaml'), `env: GITHUB_TOKEN\n`)
    const before = contents(folder)
    const { row, text } = await examine({ ...where, env: { ...where.env, ANTHROPIC_API_KEY: secret } })
    expect(row('sessions')).toMatchObject({ status: 'warn', found: expect.stringContaining('/elsewhere') })
    expect(row('drift')).toMatchObject({ status: 'warn', found: expect.stringContaining('9.9.9') })
    expect(row('damage')).toMatchObject({ status: 'warn' })
    expect(text).not.toContain(secret)
    expect(text).not.toContain('my prompt')
    expect(contents(folder)).toEqual(before)
  })

  it('says what is wrong with a config file, and goes on', async () => {
    const where = await place()
    mkdirSync(join(where.project, '.loop'))
    writeFileSync(join(where.project, '.loop', 'config.yaml'), 'max-iteratons: 3\n')
    const { code, row } = await examine(where)
    expect(code).toBe(1)
    expect(row('config')).toMatchObject({ status: 'fail', found: expect.stringContaining('max-iteratons') })
    expect(row('disk')).toMatchObject({ status: 'ok' })
  })

  it('knows a lock of a dead yoke, and variables that stop sessions', async () => {
    const where = await place()
    mkdirSync(join(where.project, '.loop'))
    const holder = {
      pid: 2 ** 22 - 1,
      start: '1',
      host: (await import('node:os')).hostname(),
      run: 'r',
      since: 'x',
    }
    writeFileSync(join(where.project, '.loop', 'lock'), JSON.stringify(holder))
    const { row } = await examine({ ...where, env: { ...where.env, CLAUDE_CODE_SKIP_PROMPT_HISTORY: '1' } })
    expect(row('loop-folder')).toMatchObject({ status: 'warn', fix: expect.stringContaining('yoke resume') })
    expect(row('environment')).toMatchObject({ status: 'warn' })
  })

  it('names an image that is not there, with the command that gets it', async () => {
    const { code, row } = await examine(await place(), '--image', 'no-such-image:1')
    expect(code).toBe(1)
    expect(row('containers')).toMatchObject({
      status: 'fail',
      fix: expect.stringMatching(/pull|Install|Start|podman/),
    })
  })

  it('prints rows for people, without colour into a pipe', async () => {
    const { project, env } = await place()
    const { stdout } = await yoke(['doctor'], { cwd: project, env })
    expect(stdout).toMatch(/^ok {4}agent +claude 2\.1\.332 at /m)
    expect(stdout).toMatch(/\n\n(All is well|Nothing failed, \d+ to look at)\.\n$/)
    expect(stdout).not.toContain('\u001b')
  })

  it.each([
    [['--learn'], 'E_USAGE', 2],
    [['--agent', 'clod'], 'E_UNKNOWN_AGENT', 2],
    [['--agent-path', 'nothing'], 'E_NO_AGENT', 1],
  ])('refuses %j', async (args, code, exit) => {
    const { project, env } = await place()
    const run = await yoke(['doctor', ...args], { cwd: project, env })
    expect(run).toMatchObject({ code: exit, stdout: '', stderr: expect.stringContaining(`[${code}]`) })
  })

  it('has a row for a project that cannot be read, not a stack trace', async () => {
    const where = await place()
    const home = join(where.home, '.claude', 'projects')
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, slug(where.project)), 'a file where a folder should be')
    mkdirSync(join(where.project, '.loop'))
    cpSync(claude, join(where.project, 'broken'))
    writeFileSync(join(where.project, 'broken'), '#!/bin/sh\necho what >&2\nexit 1\n')
    chmodSync(join(where.project, 'broken'), 0o755)
    const { code, row } = await examine(where, '--agent-path', 'broken')
    expect(code).toBe(1)
    expect(row('agent')).toMatchObject({ status: 'fail', found: expect.stringContaining('version') })
  })
})
