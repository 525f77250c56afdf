import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { messageTexts, toolResults } from '../../src/probe/request-view.ts'
import { model, openCodeProject, read } from './opencode-project.ts'

it('a session of OpenCode that no run has made is looked at, trimmed, gone on with, and put back', {
  timeout: 180_000,
}, async () => {
  const { project, server, yoke, opencode } = await openCodeProject({
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
  const run = async (...args: readonly string[]) => {
    const { stdout } = await opencode(['run', '--format', 'json', '-m', model, ...args])
    return /"sessionID":"(ses_\w+)"/.exec(stdout)?.[1] ?? stdout
  }
  const session = await run('Read both')
  await writeFile(join(project, 'a.txt'), 'ALPHA\n')

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

  expect(await run('-s', next, 'Go on')).toBe(next)
  const request = server.requests.findLast(({ role }) => role === 'agent')
  if (request === undefined) throw new Error('no request')
  expect([...toolResults(request).values()].join()).toContain('1: ALPHA')
  expect(JSON.stringify(request.body)).not.toContain('needed no more')
  expect(messageTexts(request).map(({ text }) => text)).toContain('Both are read.')

  const restored = await yoke(['restore', next])
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(restored.stdout).toContain(`opencode --session ${session}`)
})
