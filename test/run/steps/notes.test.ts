import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { takeResetOut } from '../../../src/run/steps/notes.ts'
import { temporaryFolder } from '../../helpers/temporary.ts'

const after = async (content: string | Buffer): Promise<Buffer> => {
  const file = join(await temporaryFolder(), 'notes.md')
  writeFileSync(file, content)
  await takeResetOut(file)
  return readFileSync(file)
}

describe('taking RESET: TRUE out of the notes', () => {
  it.each([
    ['KEEP: a\nRESET: TRUE\nmore\n', 'KEEP: a\nmore\n'],
    ['\uFEFFRESET: true\r\nKEEP: a\r\n', '\uFEFFKEEP: a\r\n'],
    ['a\n- **RESET:** true', 'a\n'],
    ['```\nRESET: TRUE\n```\nRESET: FALSE\n', '```\nRESET: TRUE\n```\nRESET: FALSE\n'],
    ['', ''],
  ])('%j leaves %j', async (text, rest) => {
    expect((await after(text)).toString()).toBe(rest)
  })

  it('leaves bytes that are no UTF-8 as they are', async () => {
    const odd = Buffer.from([0x61, 0xff, 0xfe, 0x80, 0x0a])
    expect(await after(Buffer.concat([odd, Buffer.from('RESET: TRUE\n'), odd]))).toEqual(
      Buffer.concat([odd, odd]),
    )
  })

  it('loses nothing of an agent that writes at the same time', async () => {
    const file = join(await temporaryFolder(), 'notes.md')
    writeFileSync(file, 'RESET: TRUE\n')
    const lines = Array.from({ length: 200 }, (_, n) => `line ${n}\n`)
    const agent = (async () => {
      for (const line of lines) {
        appendFileSync(file, line)
        await sleep(1)
      }
    })()
    for (let n = 0; n < 20; n += 1) {
      await takeResetOut(file)
      await sleep(3)
      appendFileSync(file, 'RESET: TRUE\n')
    }
    await agent
    await takeResetOut(file)
    expect(readFileSync(file, 'utf8')).toBe(lines.join(''))
  })
})
