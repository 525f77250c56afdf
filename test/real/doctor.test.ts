import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { opencodePath } from '../helpers/opencode.ts'
import { temporaryFolder } from '../helpers/temporary.ts'
import { yoke, yokeFile } from '../helpers/yoke.ts'

const claude = process.env['YOKE_TEST_CLAUDE'] ?? ''

const place = async () => {
  const home = await temporaryFolder()
  mkdirSync(join(home, 'project'))
  return { home, cwd: join(home, 'project'), env: { HOME: home, PATH: `${dirname(claude)}:/usr/bin:/bin` } }
}

const rehearsals = () => readdirSync(tmpdir()).filter((name) => name.startsWith('yoke-rehearsal-'))

/** Processes that work in a rehearsal of a yoke. */
const inRehearsalOf = (yokePid: number | undefined): readonly string[] =>
  process.platform === 'linux'
    ? readdirSync('/proc').filter((pid) => worksIn(pid, `/yoke-rehearsal-${yokePid}-`))
    : []

const worksIn = (pid: string, folder: string): boolean => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).includes(folder)
  } catch {
    return false
  }
}

describe('yoke doctor --probe', () => {
  it('rehearses with the installed CLI without a key, learns its format, and leaves nothing', {
    timeout: 90_000,
  }, async () => {
    const { home, ...where } = await place()
    const { code, stdout } = await yoke(['doctor', '--probe', '--learn', '--json'], where)
    const { rows } = JSON.parse(stdout)
    const of = (id: string) => rows.find((row: { id: string }) => row.id === id)
    for (const id of [
      'run',
      'session',
      'resume',
      'trim',
      'accepted',
      'kept',
      'dropped',
      'invented',
      'prefix',
    ])
      expect(of(`probe-${id}`)).toMatchObject({ status: 'ok' })
    expect(of('learn')).toMatchObject({ status: 'ok' })
    expect(code).toBe(0)
    const file = join(home, '.config', 'yoke', 'schemas', 'claude', '2.1.332.json')
    const learnt = JSON.parse(readFileSync(file, 'utf8'))
    expect(learnt).toMatchObject({
      agent: 'claude',
      releases: ['2.1.332'],
      verified: ['2.1.332'],
      learnt: { at: expect.any(String), yoke: expect.any(String), platform: process.platform },
    })
    // No session of the rehearsal is in the user's own folder.
    expect(existsSync(join(home, '.claude', 'projects'))).toBe(false)
  })

  it('says what a CLI that does not work is good for, and learns nothing from it', {
    timeout: 60_000,
  }, async () => {
    const { home, ...where } = await place()
    const broken = join(home, 'claude')
    writeFileSync(
      broken,
      '#!/bin/sh\n[ "$1" = --version ] && echo "3.0.0 (Claude Code)" && exit 0\nexit 7\n',
      { mode: 0o755 },
    )
    const { code, stdout } = await yoke(
      ['doctor', '--probe', '--learn', '--agent-path', broken, '--json'],
      where,
    )
    const { rows } = JSON.parse(stdout)
    const failed = rows.filter(({ status }: { status: string }) => status === 'fail')
    expect(failed.map(({ id }: { id: string }) => id)).toEqual(['probe-run', 'probe', 'learn'])
    expect(failed[0]).toMatchObject({
      found: expect.stringContaining('exit 7'),
      fix: expect.stringMatching(/\S/),
    })
    expect(code).toBe(1)
    expect(existsSync(join(home, '.config'))).toBe(false)
  })

  it.skipIf(process.platform === 'win32').each(['claude', 'opencode'])(
    'leaves nothing when it is killed in the middle of a turn of %s',
    { timeout: 120_000 },
    async (agent) => {
      const { home, env, cwd } = await place()
      const before = new Set(rehearsals())
      const PATH = `${dirname(opencodePath())}:${env.PATH}`
      const child = spawn(yokeFile, ['doctor', '--probe', '--agent', agent], {
        ...{ cwd, env: { ...env, PATH }, stdio: 'ignore' as const },
      })
      const mine = () => rehearsals().filter((name) => name.startsWith(`yoke-rehearsal-${child.pid}-`))
      while (inRehearsalOf(child.pid).length === 0) await sleep(20)
      await sleep(1500)
      const kept = readdirSync(home, { recursive: true })
      child.kill('SIGKILL')
      for (let n = 0; n < 600 && mine().length + inRehearsalOf(child.pid).length > 0; n++) await sleep(50)
      expect(inRehearsalOf(child.pid)).toEqual([])
      expect(rehearsals().filter((name) => !before.has(name) && name.includes(`-${child.pid}-`))).toEqual([])
      expect(readdirSync(home, { recursive: true })).toEqual(kept)
    },
  )

  // It takes a minute on a busy machine.
  it.skipIf(!process.env['YOKE_NIGHTLY'])(
    'rehearses with OpenCode, learns its format, and leaves nothing',
    { timeout: 600_000 },
    async () => {
      const { home, env, cwd } = await place()
      const PATH = `${dirname(opencodePath())}:${env.PATH}`
      const args = ['doctor', '--probe', '--learn', '--agent', 'opencode', '--json']
      const { code, stdout } = await yoke(args, { cwd, env: { ...env, PATH } })
      const rows: readonly { readonly id: string; readonly status: string }[] = JSON.parse(stdout).rows
      expect(rows.filter(({ status }) => status === 'fail')).toEqual([])
      expect(rows.find(({ id }) => id === 'learn')).toMatchObject({ status: 'ok' })
      expect(code).toBe(0)
      expect(existsSync(join(home, '.local/share/opencode/opencode.db'))).toBe(false)
    },
  )
})
