import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandLine, SessionTrim } from '../../src/agents/agent.ts'
import { runCli } from '../../src/agents/opencode/cli.ts'
import { opencode } from '../../src/agents/opencode/opencode.ts'
import { messageTexts, prefixBytes, toolResults, toolUses } from '../../src/probe/request-view.ts'
import type { Reply } from '../../src/probe/scenario.ts'
import { opencodePath } from '../helpers/opencode.ts'
import { place, read, resume, text, tool } from './opencode-place.ts'

const files = {
  'a.txt': 'alpha\nline2\n',
  'b.txt': 'needed no more\n',
  'c.txt': Array.from({ length: 40 }, (_, line) => `line ${line + 1}`).join('\n'),
  'gone.txt': 'soon gone\n',
}

const firstTurn: readonly Reply[] = [
  {
    blocks: [
      { thinking: 'All files.' },
      { text: 'I read.' },
      read('a.txt'),
      read('b.txt'),
      read('c.txt', { offset: 10, limit: 5 }),
      read('gone.txt'),
    ],
  },
  tool('bash', { command: 'echo loud', description: 'x' }),
  tool('edit', { filePath: '{{cwd}}/a.txt', oldString: 'alpha', newString: 'ALPHA' }),
  text('First done.'),
]

/** A session of one turn, trimmed; and a second turn in what is left. */
const trimmed = async () => {
  const at = await place([firstTurn, [text('Second done.')], [text('Third done.')]], files)
  const { outcome } = await at.start({ prompt: 'Do the whole task' })
  const session = outcome.session ?? ''
  await rm(join(at.project, 'gone.txt'))
  const request = async (id: string, more: Partial<SessionTrim>): Promise<SessionTrim> => ({
    program: opencodePath(),
    session: id,
    file: (await opencode.findSession(id, at.project, at.env)) ?? '',
    keep: ['a.txt', 'c.txt', 'gone.txt', 'never.txt'],
    cwd: at.project,
    staleReads: 'refresh',
    harder: false,
    backup: join(at.home, 'backups', `${id}.bak`),
    env: at.env,
    ...more,
  })
  const trim = async (id: string, more: Partial<SessionTrim> = {}) =>
    opencode.trimSession(await request(id, more))
  const cli = {
    program: opencodePath(),
    cwd: at.project,
    env: at.env,
    launch: (command: CommandLine) => command,
  }
  return { ...at, cli, session, trim, result: await trim(session) }
}

describe('a trim of a session of the real OpenCode', { timeout: 300_000 }, () => {
  it('leaves the prompt, the kept files as they are now, and the last text', async () => {
    const { result: cutOff, start, session, requests, home, trim, cli } = await trimmed()
    // As when yoke was killed before it knew of the new session: the same again, and the first one goes.
    const result = await trim(session, { isOfRun: true })
    if (cutOff.status !== 'applied' || result.status !== 'applied') throw new Error(JSON.stringify(result))
    const { report, newSession = '' } = result
    expect(newSession).not.toBe(session)
    expect(await runCli(cli, ['export', cutOff.newSession ?? ''], join(home, 'none.json'))).toMatch(
      /not found/,
    )
    expect((await readdir(join(home, 'backups'))).sort()).toEqual(
      [`${newSession}.origin`, `${session}.bak`].sort(),
    )
    expect(report.paths).toMatchObject([
      { path: expect.stringMatching(/a\.txt$/), state: 'refreshed', ranges: [{ offset: 1 }] },
      { path: expect.stringMatching(/c\.txt$/), state: 'fresh', ranges: [{ offset: 10, limit: 5 }] },
    ])
    expect(report.dropped).toMatchObject([{ path: expect.stringMatching(/gone\.txt$/), reason: 'deleted' }])
    expect(report.unmatched).toEqual(['never.txt'])
    expect(report.records.dropped).toMatchObject({
      reasoning: 1,
      text: 1,
      'tool:read': 2,
      'tool:bash': 1,
      'tool:edit': 1,
    })
    expect(report.tokens.after).toBeLessThan(report.tokens.before)

    const [before] = requests()
    const next = await start({ ...resume(newSession), prompt: 'Go on' })
    expect(next.outcome).toMatchObject({ class: 'ok', session: newSession, text: 'Second done.' })
    const request = requests().at(-1) ?? {}
    expect(toolUses(request).map(({ name }) => name)).toEqual(['read', 'read'])
    const shown = [...toolResults(request).values()]
    expect(shown[0]).toContain('1: ALPHA\n2: line2\n\n(End of file - total 2 lines)')
    expect(shown[1]).toContain('10: line 10\n11: line 11')
    expect(messageTexts(request).map(({ role, text: words }) => `${role} ${words}`)).toEqual([
      'user Do the whole task',
      'assistant ',
      'user ',
      'assistant First done.',
      'user Go on',
    ])
    expect(/All files|needed no more|loud|soon gone/.exec(JSON.stringify(request))).toBeNull()
    expect(prefixBytes(request, 1)).toBe(prefixBytes(before ?? {}, 1))

    // The old session stays until the new one has worked, and its export for good.
    expect(await runCli(cli, ['export', session], join(home, 'old.json'))).toBeUndefined()
    const again = await trim(newSession, { isOfRun: true })
    expect(again).toMatchObject({ status: 'applied', drift: { verdict: 'known' } })
    expect(await trim(session)).toMatchObject({ status: 'refused', code: 'missing' })
    const kept = JSON.parse(await readFile(join(home, 'backups', `${session}.bak`), 'utf8'))
    expect(kept.info.id).toBe(session)

    // One that has nothing to lose is left alone, and so is one that cannot be stored.
    const last = again.status === 'applied' ? (again.newSession ?? '') : ''
    expect((await trim(last)).status).toBe('unchanged')
    const program = join(home, 'opencode')
    await writeFile(
      program,
      `#!/bin/sh\n[ "$1" = import ] && { echo 'Imported session: x'; exit 0; }\nexec '${opencodePath()}' "$@"\n`,
      { mode: 0o755 },
    )
    expect(await trim(last, { program, keep: [] })).toMatchObject({ status: 'refused', code: 'unverified' })
  })

  it.skipIf(!process.env['YOKE_NIGHTLY'])(
    'gives the whole task back after OpenCode has compacted the session by itself',
    async () => {
      const { start, requests, project, home, env } = await place(
        [
          [
            { blocks: [read('a.txt')] },
            {
              ...tool('bash', { command: 'echo loud', description: 'x' }),
              usage: { input_tokens: 1_190_000 },
            } as Reply,
            // The compaction itself gets the reply to what no script is for.
            text('First done.'),
          ],
          [text('Second done.')],
        ],
        files,
      )
      const { outcome } = await start({ prompt: 'Do the whole task' })
      expect(outcome).toMatchObject({ class: 'ok', text: 'First done.', turns: 4 })
      const session = outcome.session ?? ''
      const result = await opencode.trimSession({
        ...{ program: opencodePath(), session, file: '', keep: ['a.txt'], cwd: project, env },
        ...{ staleReads: 'refresh', harder: false, backup: join(home, 'backups', 'x.bak') },
      })
      if (result.status !== 'applied') throw new Error(JSON.stringify(result))
      const next = await start({ ...resume(result.newSession ?? ''), prompt: 'Go on' })
      expect(next.outcome).toMatchObject({ class: 'ok', text: 'Second done.' })
      const request = requests().at(-1) ?? {}
      expect([...toolResults(request).values()][0]).toContain('1: alpha')
      expect(messageTexts(request).map(({ role, text: words }) => `${role} ${words}`)).toEqual([
        'user Do the whole task',
        'assistant ',
        'user ',
        'assistant ok\nFirst done.',
        'user Go on',
      ])
    },
  )
})
