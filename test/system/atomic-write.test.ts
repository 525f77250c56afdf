import {
  appendFileSync,
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { atomicUpdate } from '../../src/system/atomic-write.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const shout = (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replaceAll('quiet', 'LOUD'), 'latin1')

describe('changing a file that others write to', () => {
  it('changes it, with its mode, and leaves nothing behind', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'a')
    writeFileSync(file, 'quiet\n')
    chmodSync(file, 0o640)
    await atomicUpdate(file, shout)
    expect(readFileSync(file, 'utf8')).toBe('LOUD\n')
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder)).toEqual(['a'])
  })

  it('changes the file behind a symbolic link', async () => {
    const folder = await temporaryFolder()
    writeFileSync(join(folder, 'a'), 'quiet\n')
    symlinkSync('a', join(folder, 'link'))
    await atomicUpdate(join(folder, 'link'), shout)
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('LOUD\n')
  })

  it('changes what was written in the meantime, and loses none of it', async () => {
    const file = join(await temporaryFolder(), 'a')
    writeFileSync(file, 'quiet\n')
    let calls = 0
    await atomicUpdate(file, (bytes) => {
      calls += 1
      if (calls <= 2) appendFileSync(file, `quiet ${calls}\n`)
      return shout(bytes)
    })
    expect(calls).toBe(3)
    expect(readFileSync(file, 'utf8')).toBe('LOUD\nLOUD 1\nLOUD 2\n')
  })

  it('gives way to one who removes the file in the meantime', async () => {
    const folder = await temporaryFolder()
    writeFileSync(join(folder, 'a'), 'quiet\n')
    await atomicUpdate(join(folder, 'a'), (bytes) => {
      rmSync(join(folder, 'a'))
      return shout(bytes)
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('writes nothing when nothing is to be changed, or when there is no file', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'a')
    writeFileSync(file, 'x')
    const before = statSync(file).ino
    await atomicUpdate(file, shout)
    expect(statSync(file).ino).toBe(before)
    await atomicUpdate(join(folder, 'b'), shout)
    expect(readdirSync(folder)).toEqual(['a'])
  })
})
