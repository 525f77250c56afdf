import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.ts'
import { yokeFile } from '../helpers/yoke.ts'

/** yoke on a terminal of its own (util-linux `script`); each answer is typed when the next question has come. */
const onTerminal = async (cwd: string, args: string, answers: readonly string[]) => {
  const child = spawn('script', ['-qefc', `${yokeFile} ${args}`, '/dev/null'], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, TERM: 'xterm' },
  })
  let shown = ''
  const left = [...answers]
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk
    if (/[:\]] $/.test(chunk.replace(/\u001b\[[\d;]*[A-Za-z]/g, ''))) child.stdin.write(left.shift() ?? '')
  })
  const [code] = await once(child, 'close')
  return { code, shown }
}

describe.skipIf(process.platform !== 'linux')('a question on the terminal', () => {
  it('is answered, or Enter takes what was found', async () => {
    const cwd = await temporaryFolder()
    writeFileSync(join(cwd, 'package.json'), '{"scripts":{"test":"node t.js"}}')
    const init = await onTerminal(cwd, 'init', ['Do it.\r', 'claude\r', '\r', '5\r'])
    expect(init).toMatchObject({ code: 0, shown: expect.stringContaining('yoke brute task.md') })
    const task = readFileSync(join(cwd, 'task.md'), 'utf8')
    expect(task).toMatch(/^checks: \[npm test\]$/m)
    expect(task).toMatch(/^max-cost-usd: 5$/m)
    expect(task).toMatch(/^Do it\.$/m)
  })

  it.each([
    ['Ctrl+C', '\u0003'],
    ['Ctrl+D', '\u0004'],
  ])('at %s nothing is done, and that is said', async (_key, typed) => {
    const cwd = await temporaryFolder()
    const init = await onTerminal(cwd, 'init', [typed])
    expect(init).toMatchObject({ code: 130, shown: expect.stringContaining('[E_NO_ANSWER]') })
    expect(existsSync(join(cwd, 'task.md'))).toBe(false)
    writeFileSync(join(cwd, 'task.md'), '---\nchecks: ["true"]\n---\nDo it.\n')
    const brute = await onTerminal(cwd, 'brute task.md', [typed])
    expect(brute).toMatchObject({ code: 130, shown: expect.stringContaining('[E_NO_ANSWER]') })
    expect(existsSync(join(cwd, '.loop'))).toBe(false)
  })
})
