import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { findSession, registryFolder } from '../../src/agents/claude/session-file.ts'
import { messageTexts, prefixBytes, toolResults, toolUses } from '../../src/probe/request-view.ts'
import { type TrimRequest, trim } from '../../src/transcript/trim.ts'
import { claudePath } from '../helpers/claude.ts'
import { edit, place, read, reply, say, think } from './project.ts'

const files = {
  'a.txt': 'alpha\nbeta\n',
  'b.txt': 'one\ntwo\nthree\n',
  'c.txt': 'read once, not needed again\n',
}

const firstTurn = [
  reply(think('Three files.'), say('I will read.'), read('a.txt'), read('b.txt'), read('c.txt')),
  reply({ tool: 'Bash', input: { command: 'seq 1 50', description: 'count' } }),
  reply(edit('a.txt', 'beta', 'BETA')),
  reply(say('All done.')),
]

/** A project in which the real CLI has played the first turn, and how to go on. */
const worked = async (...later: readonly (readonly object[])[]) => {
  const scenario = {
    name: 'trim',
    roles: [{ name: 'worker', match: 'Work on the files' }],
    script: { worker: [firstTurn, ...later] },
  }
  const made = await place({ files, scenario })
  const id = randomUUID()
  const claude = async (prompt: string, ...args: readonly string[]) => {
    const child = spawn(
      claudePath(),
      [
        '-p',
        '--model',
        'claude-sonnet-4-5',
        '--permission-mode',
        'bypassPermissions',
        '--output-format',
        'json',
        ...args,
      ],
      { cwd: made.project, env: { ...made.env, IS_SANDBOX: '1' }, stdio: ['pipe', 'pipe', 'inherit'] },
    )
    child.stdin.end(prompt)
    const output = await text(child.stdout)
    expect(JSON.parse(output)).toMatchObject({ is_error: false, session_id: id })
  }
  await claude('Work on the files', '--session-id', id)
  const file = (await findSession(id, made.project, made.env)) ?? ''
  const cut = (keep: readonly string[], more: Partial<TrimRequest> = {}) =>
    trim({
      file,
      keep,
      cwd: made.project,
      staleReads: 'refresh',
      liveSessions: registryFolder(made.env),
      backup: join(made.home, 'session.bak'),
      ...more,
    })
  const asked = () => made.server.requests.filter(({ role }) => role === 'worker')
  /** Resumes the session, and gives the first request and the last one of that run. */
  const resume = async (prompt = 'Go on') => {
    const before = asked().length
    await claude(prompt, '--resume', id)
    const sent = asked().slice(before)
    const [first, last] = [sent[0], sent.at(-1)]
    if (first === undefined || last === undefined) throw new Error('the CLI did not ask the model')
    return { first, last }
  }
  const opening = asked()[0]
  if (opening === undefined) throw new Error('the CLI did not ask the model')
  return { ...made, file, cut, resume, opening }
}

const pathsRead = (request: Parameters<typeof toolUses>[0]) =>
  toolUses(request).map(
    ({ name, input }) => `${name} ${(input as { file_path?: string }).file_path?.split('/').at(-1)}`,
  )

describe('a session of the real CLI, trimmed and resumed', () => {
  it('sends what was kept and nothing else, behind an unbroken prefix (anthropics/claude-code#53821)', {
    timeout: 60_000,
  }, async () => {
    const { cut, resume, opening } = await worked([reply(say('Resumed.'))])
    const trimmed = await cut(['b.txt'])
    expect(trimmed).toMatchObject({ status: 'applied' })
    const { first } = await resume()
    // Four bytes a token, of the messages alone: what the CLI sends was measured to differ by 1 %.
    const { after } = 'report' in trimmed ? trimmed.report.tokens : { after: 0 }
    const sent = messageTexts(first).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / 4
    expect(Math.abs(after - sent) / sent).toBeLessThan(0.1)
    expect(pathsRead(first)).toEqual(['Read b.txt'])
    expect([...toolResults(first).values()]).toEqual([expect.stringContaining('1\tone\n2\ttwo\n3\tthree')])
    const said = messageTexts(first).filter(({ role }) => role === 'assistant')
    expect(said.map(({ text }) => text.trim()).filter((words) => words !== '')).toEqual(['All done.'])
    const everything = JSON.stringify(first.body)
    expect(everything).not.toContain('No response requested')
    expect(everything).not.toContain('read once, not needed again')
    expect(everything).not.toContain('"thinking":"Three files."')
    const shared = messageTexts(opening).length
    expect(prefixBytes(first, shared)).toBe(prefixBytes(opening, shared))
    expect(messageTexts(first).at(-1)?.text).toContain('Go on')
  })

  it('shows a file as it is now, and the next edit needs no new read', { timeout: 60_000 }, async () => {
    const { cut, resume, project } = await worked([
      reply(edit('a.txt', 'BETA', 'gamma')),
      reply(say('Edited.')),
    ])
    expect(await cut(['a.txt'])).toMatchObject({ report: { paths: [{ state: 'refreshed' }] } })
    const { first, last } = await resume()
    expect([...toolResults(first).values()]).toEqual([expect.stringContaining('1\talpha\n2\tBETA')])
    expect([...toolResults(last).values()].at(-1)).toContain('updated successfully')
    expect([...toolResults(last).values()].at(-1)).not.toContain('modified on disk')
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('alpha\ngamma\n')
  })

  it('stays small and true over rounds of work and trim', { timeout: 90_000 }, async () => {
    const round = [reply(read('c.txt')), reply(say('Round.'))]
    const { cut, resume, file, project } = await worked(round, round, [reply(say('Last.'))])
    const sizes: number[] = []
    for (const text of ['first', 'second']) {
      await cut(['b.txt', 'c.txt'])
      sizes.push(readFileSync(file).length)
      await resume()
      writeFileSync(join(project, 'c.txt'), `${text}\n`)
    }
    expect(await cut(['c.txt'])).toMatchObject({ status: 'applied' })
    expect(readFileSync(file).length).toBeLessThan((sizes[0] ?? 0) * 1.1)
    const { first } = await resume()
    expect([...toolResults(first).values()]).toEqual([expect.stringContaining('1\tsecond')])
    expect(messageTexts(first).filter(({ text }) => text.includes('Go on'))).toHaveLength(1)
  })

  it('goes on from a trim that was killed at any of its steps', { timeout: 60_000 }, async () => {
    const { file, home, project, resume } = await worked([reply(say('Resumed.'))])
    const killed = join(import.meta.dirname, '..', 'transcript', 'killed-trim.ts')
    const bun = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'bun')
    const backup = join(home, 'session.bak')
    const request = { file, keep: ['b.txt'], cwd: project, staleReads: 'refresh', backup }
    for (const step of ['locked', 'temporary written', 'backup written', 'checked', 'renamed'])
      expect(spawnSync(bun, [killed, JSON.stringify(request), step]).signal).toBe('SIGKILL')
    const { first } = await resume()
    expect(pathsRead(first)).toEqual(['Read b.txt'])
    expect(JSON.stringify(first.body)).not.toContain('No response requested')
  })

  it('goes on from a run that was killed with a tool at work', { timeout: 60_000 }, async () => {
    const { cut, resume, file } = await worked([reply(say('Resumed.'))])
    const lines = readFileSync(file, 'utf8').split('\n')
    const until = lines.findIndex((line) => line.includes('"name":"Bash","input"'))
    writeFileSync(file, `${lines.slice(0, until + 1).join('\n')}\n{"parentUuid":"torn`)
    expect(await cut(['b.txt'])).toMatchObject({ status: 'applied' })
    const { first } = await resume()
    expect(pathsRead(first)).toEqual(['Read b.txt'])
    expect(JSON.stringify(first.body)).not.toContain('No response requested')
  })

  it('holds what a compaction moved into attachments', { timeout: 60_000 }, async () => {
    const { cut, resume, file } = await worked([reply(say('Resumed.'))])
    await resume('/compact').catch(() => undefined)
    expect(readFileSync(file, 'utf8')).toContain('"subtype":"compact_boundary"')
    expect(await cut(['b.txt'])).toMatchObject({ status: 'applied' })
    const { first } = await resume()
    const everything = JSON.stringify(first.body)
    expect(everything).toContain(JSON.stringify('1\tone\n2\ttwo\n3\tthree').slice(1, -1))
    expect(everything).toContain('This session is being continued from a previous conversation')
    expect(everything).not.toContain('read once, not needed again')
  })
})
