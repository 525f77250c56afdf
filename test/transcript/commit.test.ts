import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { processStart } from '../../src/system/process-start.ts'
import { type CommitStep, commit } from '../../src/transcript/commit.ts'
import { lockOf } from '../../src/transcript/session-lock.ts'
import { restore } from '../../src/transcript/trim.ts'
import { finishedRun } from '../helpers/session.ts'
import { recordsOf, workplace } from './workplace.ts'

const bun = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'bun')

const stored = async () => {
  const place = await workplace()
  const path = place.write('a.ts', 'alpha')
  place.store(finishedRun({ [path]: 'alpha' }, { cwd: place.cwd }).bytes())
  return place
}

/** Other files beside the session. */
const beside = (file: string) => readdirSync(dirname(file)).filter((name) => !file.endsWith(`/${name}`))

describe('the commit of a trim', () => {
  const steps: readonly CommitStep[] = [
    'locked',
    'temporary written',
    'backup written',
    'checked',
    'renamed',
    'done',
  ]
  it.each(steps)('killed when it is %s leaves the old session or the new one, whole', async (step) => {
    const place = await stored()
    const old = place.bytes()
    const request = {
      file: place.file,
      keep: ['a.ts'],
      cwd: place.cwd,
      staleReads: 'refresh',
      backup: place.backup,
    }
    const killed = spawnSync(bun, [
      join(import.meta.dirname, 'killed-trim.ts'),
      JSON.stringify(request),
      step,
    ])
    expect(killed.signal).toBe('SIGKILL')
    const left = place.bytes()
    const isNew = step === 'renamed' || step === 'done'
    expect(left.equals(old)).toBe(!isNew)
    if (isNew) expect(readFileSync(place.backup).equals(old)).toBe(true)

    // What the CLI appends now, and the next trim, find a session in good order; the lock of the dead one is taken over.
    appendFileSync(place.file, `${JSON.stringify({ type: 'mode', mode: 'plan' })}\n`)
    const result = await place.trim(['a.ts'])
    expect(result.status).toBe(isNew ? 'unchanged' : 'applied')
    expect(beside(place.file)).toEqual([])
    expect(recordsOf(place.bytes()).map(({ type }) => type)).toContain('mode')
    expect(existsSync(lockOf(place.file))).toBe(false)
  })

  it('leaves nothing beside the session', async () => {
    const place = await stored()
    await place.trim(['a.ts'])
    expect(beside(place.file)).toEqual([])
  })

  it('keeps the old session as the backup, whatever happens to the new one', async () => {
    const place = await stored()
    const old = place.bytes()
    await place.trim([])
    appendFileSync(place.file, 'more\n')
    expect(readFileSync(place.backup).equals(old)).toBe(true)
    await restore(place.file, place.backup)
    expect(place.bytes().equals(old)).toBe(true)
    appendFileSync(place.file, 'more\n')
    expect(readFileSync(place.backup).equals(old)).toBe(true)
  })

  it('says what to do when there is no backup to restore', async () => {
    const place = await stored()
    await expect(restore(place.file, place.backup)).rejects.toMatchObject({ code: 'E_NO_BACKUP' })
  })

  it('keeps mode and owner', async () => {
    const place = await stored()
    chmodSync(place.file, 0o640)
    if (process.getuid?.() === 0) chownSync(place.file, 1234, 4321)
    const before = statSync(place.file)
    await place.trim([])
    const { mode, uid, gid } = statSync(place.file)
    expect({ mode, uid, gid }).toEqual({ mode: before.mode, uid: before.uid, gid: before.gid })
  })

  it('writes through a symbolic link to the file behind it', async () => {
    const place = await stored()
    const link = join(place.folder, 'link.jsonl')
    symlinkSync(place.file, link)
    expect((await place.trim([], { file: link })).status).toBe('applied')
    expect(statSync(place.file).size).toBeLessThan(statSync(place.backup).size)
  })

  it('writes the trimmed session elsewhere when asked, and leaves the old one alone', async () => {
    const place = await stored()
    const old = place.bytes()
    const out = join(place.folder, 'out.jsonl')
    expect((await place.trim(['a.ts'], { out })).status).toBe('applied')
    expect(place.bytes().equals(old)).toBe(true)
    expect(readFileSync(out).length).toBeLessThan(old.length)
    expect(await place.trim(['a.ts'], { out })).toMatchObject({ status: 'refused', code: 'io' })
  })

  it('refuses a backup that the CLI would take for a session', async () => {
    const place = await stored()
    const backup = join(place.folder, 'sessions', 'b.jsonl')
    expect(await place.trim([], { backup })).toMatchObject({ status: 'refused', code: 'backup' })
  })

  it('refuses when the session was written to in the meantime', async () => {
    const place = await stored()
    const result = await place.trim([], {
      onStep: (step) => step === 'backup written' && appendFileSync(place.file, '{"type":"mode"}\n'),
    })
    expect(result).toMatchObject({ status: 'refused', code: 'changed' })
    expect(place.bytes().toString()).toContain('Bash')
    expect(beside(place.file)).toEqual([])
  })

  it('puts the old session back when a writer came at the very last moment', async () => {
    const place = await stored()
    const written = '{"type":"mode","mode":"late"}\n'
    const result = await place.trim([], {
      // The backup is the old file itself: whoever still writes to that writes here.
      onStep: (step) => step === 'renamed' && appendFileSync(place.backup, written),
    })
    expect(result).toMatchObject({ status: 'refused', code: 'changed' })
    expect(place.bytes().toString().endsWith(written)).toBe(true)
    expect(place.bytes().toString()).toContain('Bash')
  })

  it('refuses while another yoke trims the session (anthropics/claude-code#39151)', async () => {
    const place = await stored()
    const holder = { pid: process.ppid, start: processStart(process.ppid) ?? '' }
    writeFileSync(lockOf(place.file), JSON.stringify(holder))
    expect(await place.trim([])).toMatchObject({ status: 'refused', code: 'locked' })
  })

  it('takes over a lock whose pid now belongs to another process', async () => {
    const place = await stored()
    writeFileSync(lockOf(place.file), JSON.stringify({ pid: process.ppid, start: '1' }))
    expect((await place.trim([])).status).toBe('applied')
  })

  const canMount = process.platform === 'linux' && process.getuid?.() === 0
  it.skipIf(!canMount)('leaves the session as it is when the disk is full', async () => {
    const place = await workplace()
    const disk = join(place.folder, 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk])
    onTestFinished(() => void execFileSync('umount', [disk]))
    const path = place.write('a.ts', 'alpha'.repeat(20_000))
    const old = finishedRun({ [path]: 'alpha'.repeat(20_000) }, { cwd: place.cwd }).bytes()
    const file = join(disk, 's.jsonl')
    writeFileSync(file, old)
    expect(await place.trim(['a.ts'], { file })).toMatchObject({ status: 'refused', code: 'io' })
    expect(readFileSync(file).equals(old)).toBe(true)
    expect(beside(file)).toEqual([])
  })

  it('backs up by a copy where no link is possible', async () => {
    const place = await stored()
    const old = place.bytes()
    const elsewhere = existsSync('/dev/shm') ? `/dev/shm/yoke-test-${process.pid}.bak` : place.backup
    const source = statSync(place.file)
    const bytes = Buffer.from('new\n')
    const mayWrite = () => true
    expect(await commit({ file: place.file, backup: elsewhere, bytes, source, mayWrite })).toBe(true)
    expect(readFileSync(elsewhere).equals(old)).toBe(true)
    expect(place.bytes().equals(bytes)).toBe(true)
    execFileSync('rm', [elsewhere])
  })
})

describe('a session that a CLI works on', () => {
  const register = async (entry: Record<string, unknown>) => {
    const place = await stored()
    const liveSessions = join(place.folder, 'registry')
    mkdirSync(liveSessions)
    writeFileSync(join(liveSessions, `${entry['pid']}.json`), JSON.stringify(entry))
    writeFileSync(join(liveSessions, '7.abc.key'), 'secret')
    return place.trim([], { liveSessions })
  }
  const sessionId = '11111111-1111-4111-8111-111111111111'

  it('is refused, with the pid (anthropics/claude-code#63758: no open file tells)', async () => {
    const procStart = processStart(process.pid)
    const result = await register({ pid: process.pid, sessionId, procStart })
    expect(result).toMatchObject({ status: 'refused', code: 'live' })
    expect(result.status === 'refused' && result.reason).toContain(String(process.pid))
  })

  it('is refused even where the registry does not say whether it is busy (anthropics/claude-agent-sdk-typescript#364)', async () => {
    expect(await register({ pid: process.pid, sessionId })).toMatchObject({ code: 'live' })
  })

  it.skipIf(process.platform !== 'linux')('is trimmed when the pid was reused', async () => {
    expect((await register({ pid: process.pid, sessionId, procStart: '1' })).status).toBe('applied')
  })

  it('is trimmed when the process is gone', async () => {
    expect((await register({ pid: 2 ** 22 + 1, sessionId })).status).toBe('applied')
  })

  it('is trimmed when the CLI works on another one', async () => {
    expect((await register({ pid: process.pid, sessionId: 'other' })).status).toBe('applied')
  })

  it('is left alone when a CLI comes while it is trimmed', async () => {
    const place = await stored()
    const old = place.bytes()
    const liveSessions = join(place.folder, 'registry')
    const result = await place.trim([], {
      liveSessions,
      onStep: (step) => {
        if (step !== 'backup written') return
        mkdirSync(liveSessions)
        writeFileSync(join(liveSessions, '1.json'), JSON.stringify({ pid: process.pid, sessionId }))
      },
    })
    expect(result).toMatchObject({ status: 'refused', code: 'changed' })
    expect(place.bytes().equals(old)).toBe(true)
  })
})
