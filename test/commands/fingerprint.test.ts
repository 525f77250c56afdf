import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { slug } from '../../src/agents/claude/slug.ts'
import { finishedRun } from '../helpers/session.ts'
import { temporaryFolder } from '../helpers/temporary.ts'
import { yoke } from '../helpers/yoke.ts'

const id = '1c6e3f7a-1111-4111-8111-111111111111'

/** A home with a session in it; `change` is made to its text. */
const home = async (change: (text: string) => string = (text) => text) => {
  const root = await temporaryFolder()
  const folder = join(root, '.claude', 'projects', slug(root))
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${id}.jsonl`)
  const text = change(
    finishedRun({ [join(root, 'a.txt')]: 'a secret' }, { cwd: root, id })
      .bytes()
      .toString(),
  )
  writeFileSync(file, text)
  const run = (...args: readonly string[]) =>
    yoke(['fingerprint', ...args], { cwd: root, env: { PATH: '/usr/bin:/bin', HOME: root } })
  return { root, file, text, run }
}

describe('yoke fingerprint', () => {
  it('says of a session of a known release that it is known, and changes nothing', async () => {
    const withoutAttachments = (text: string) => text.replaceAll(/^.*"type":"attachment".*\n/gm, '')
    const at = await home(withoutAttachments)
    const run = await at.run('1c6e3f7a')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(/^fingerprint {2}[0-9a-f]{16}\nwritten by {3}2\.1\.332\nverdict {6}known: /m)
    expect(readFileSync(at.file, 'utf8')).toBe(at.text)
  })

  it('names what is new, shows no content, and is strict when it is asked to be', async () => {
    const at = await home((text) => text.replaceAll('"sessionId":', '"whatNext":"hidden words","sessionId":'))
    const run = await at.run(id, '--json')
    expect(run.code).toBe(0)
    const found = JSON.parse(run.stdout)
    expect(found).toMatchObject({ id, verdict: 'additive', versions: ['2.1.332'] })
    expect(found.differences).toContainEqual(
      expect.objectContaining({ name: 'user.whatNext', path: 'whatNext', found: 'string' }),
    )
    expect(run.stdout).not.toMatch(/hidden words|a secret/)
    expect(await at.run(id, '--strict')).toMatchObject({ code: 1, stderr: '' })
  })

  it('exits with 1 when it breaks what a trim stands on, and says where', async () => {
    const at = await home((text) => text.replaceAll('"tool_use_id":', '"use":'))
    const run = await at.run(at.file)
    expect(run.code).toBe(1)
    expect(run.stdout).toMatch(
      /^breaking {5}line \d+, message\.content\[0\]\.tool_use_id: expected tool_use_id, found use/m,
    )
  })

  it.each([
    ['a file that is no session', () => 'Words.\n', 'E_NOT_A_SESSION', 1],
    ['an empty one', () => '', 'E_NOT_A_SESSION', 1],
  ])('refuses %s', async (_what, change, code, exit) => {
    const at = await home(change)
    const run = await at.run(at.file)
    expect(run).toMatchObject({ code: exit, stdout: '' })
    expect(run.stderr).toContain(code)
  })

  it('refuses an id that fits no session', async () => {
    const at = await home()
    const run = await at.run('ffffffff')
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('E_NO_SESSION')
  })
})
