import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { messageTexts, toolResults } from '../../src/probe/request-view.ts'
import { model, openCodeProject, read } from './opencode-project.ts'

const place = () =>
  openCodeProject({
    files: { 'a.txt': 'alpha\n', 'b.txt': 'needed no more\n' },
    scenario: {
      name: 'by hand',
      roles: [{ name: 'agent', tool: 'read' }],
      script: {
        agent: [
          [{ blocks: [read('a.txt'), read('b.txt')] }, { blocks: [{ text: 'Both are read.' }] }],
          [{ blocks: [{ text: 'Gone on.' }] }],
        ],
      },
      otherwise: { blocks: [{ text: 'ok' }] },
    },
  })

/** Starts OpenCode; the id of the session. */
const turnIn = async ({ opencode }: Awaited<ReturnType<typeof place>>, ...args: readonly string[]) => {
  const { stdout } = await opencode(['run', '--format', 'json', '-m', model, ...args])
  return /"sessionID":"(ses_\w+)"/.exec(stdout)?.[1] ?? stdout
}

it('a session of OpenCode that no run has made is looked at, trimmed, gone on with, and put back', {
  timeout: 300_000,
}, async () => {
  const at = await place()
  const { project, server, yoke } = at
  const session = await turnIn(at, 'Read both')
  await writeFile(join(project, 'a.txt'), 'ALPHA\n')

  const completed = await yoke(['complete', '--', 'trim', 'ses_'])
  expect(completed.stdout).toBe(`words\n${session}\ta session of this project\n`)
  const inspected = await yoke(['inspect', session.slice(0, 12), '--json'])
  expect(JSON.parse(inspected.stdout)).toMatchObject({
    ...{ id: session, cwds: [project], remarks: [], unpaired: [] },
    reads: [
      { path: join(project, 'a.txt'), times: 1 },
      { path: join(project, 'b.txt'), times: 1 },
    ],
  })
  const trimmed = await yoke(['trim', session, '--keep', 'a.txt'])
  expect(trimmed).toMatchObject({ code: 0, stderr: '' })
  expect(trimmed.stdout).toMatch(/kept {5}\S*a\.txt, \d+ tokens, as the file is now/)
  const next = /the old one stays: opencode --session (ses_\w+)$/m.exec(trimmed.stdout)?.[1] ?? ''
  expect(next).not.toBe(session)

  expect(await turnIn(at, '-s', next, 'Go on')).toBe(next)
  const request = server.requests.findLast(({ role }) => role === 'agent')
  if (request === undefined) throw new Error('no request')
  expect([...toolResults(request).values()].join()).toContain('1: ALPHA')
  expect(JSON.stringify(request.body)).not.toContain('needed no more')
  expect(messageTexts(request).map(({ text }) => text)).toContain('Both are read.')

  const restored = await yoke(['restore', next])
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(restored.stdout).toContain(`opencode --session ${session}`)
})

it.skipIf(!process.env['YOKE_NIGHTLY'])(
  'a session in the store of runs in containers is looked at from a copy, and trimmed into a file alone',
  { timeout: 300_000 },
  async () => {
    const at = await place()
    const { project, home, opencode } = at
    const session = await turnIn(at, 'Read both')
    const store = join(project, '.loop/agent-home/data/opencode')
    await cp(join(home, '.local/share/opencode'), store, { recursive: true })
    await opencode(['session', 'delete', session])
    const before = await readFile(join(store, 'opencode.db'))
    const { stdout } = await at.yoke(['inspect', session, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ id: session, file: join(store, 'opencode.db') })
    expect(await at.yoke(['trim', session, '--keep', 'a.txt'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a run in containers'),
    })
    const out = join(project, 'out.json')
    expect(await at.yoke(['trim', session, '--keep', 'a.txt', '--out', out])).toMatchObject({ code: 0 })
    expect((await readFile(join(store, 'opencode.db'))).equals(before)).toBe(true)
    expect((await opencode(['import', out])).stdout).toContain('Imported session: ses_')
  },
)
