import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const program = (name: string) => join(root, 'node_modules', '.bin', name)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const run = (file: string, ...args: readonly string[]) =>
  promisify(execFile)(file, [...args], { cwd: place }).then(({ stdout }) => stdout)

// Inside of the project, where the packages that it stands on are found.
let place = ''
beforeAll(async () => {
  mkdirSync(join(root, 'dist'), { recursive: true })
  place = mkdtempSync(join(root, 'dist', 'npm-test-'))
  await run(program('bun'), join(root, 'scripts', 'release', 'npm.ts'), place)
  writeFileSync(join(place, 'session.jsonl'), '{"type":"user","uuid":7}\n')
  writeFileSync(
    join(place, 'use.mjs'),
    `import { fileURLToPath } from 'node:url'
     import { fingerprintSession, parseNotes, shippedFormats, trim, vectorFiles, version } from './yoke/lib/index.js'
     const session = fileURLToPath(new URL('./session.jsonl', import.meta.url))
     const { verdict } = await fingerprintSession(session, '/', { formats: await shippedFormats('claude'), strict: false })
     const result = await trim({ file: '/no/such.jsonl', keep: [], cwd: '/', staleReads: 'drop', backup: '/no/such.bak' })
     console.log(JSON.stringify([version, parseNotes('KEEP: a.ts').keep, result.code, verdict, vectorFiles().has('slug/slugs.json')]))`,
  )
})
afterAll(() => rmSync(place, { recursive: true }))

describe('the npm package', () => {
  it.each([
    ['node', [process.execPath]],
    ['bun', [program('bun')]],
    ['deno', [program('deno'), 'run', '-A']],
  ])('is a library for %s', async (_name, [file = '', ...args]) => {
    expect(JSON.parse(await run(file, ...args, join(place, 'use.mjs')))).toEqual([
      version,
      ['a.ts'],
      'missing',
      'breaking',
      true,
    ])
  })

  it.each([
    ['node', () => [process.execPath, join(place, 'yoke', 'cli', 'start.js')]],
    ['bun', () => [program('bun'), join(root, 'src', 'start.ts')]],
    ['deno', () => [program('deno'), 'run', '-A', join(root, 'src', 'start.ts')]],
  ])('passes the vectors on %s', { timeout: 120_000 }, async (_name, command) => {
    const [file = '', ...args] = command()
    expect(await run(file, ...args, 'vectors')).toMatch(/\nall +(\d+) passed\n$/)
  })

  it('runs on Node where there is no binary', async () => {
    expect(await run(process.execPath, join(place, 'yoke', 'bin', 'yoke.js'), '--version')).toBe(
      `yoke ${version}\n`,
    )
  })

  it('starts the binary of the platform, and ends as it ends', async () => {
    const name = `yoke-${process.platform}-${process.arch}`
    const folder = join(place, 'yoke', 'node_modules', name)
    mkdirSync(join(folder, 'bin'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version }))
    writeFileSync(join(folder, 'bin', 'yoke'), '#!/bin/sh\necho "binary $*"\nexit 3\n', { mode: 0o755 })
    const ended = await run(process.execPath, join(place, 'yoke', 'bin', 'yoke.js'), 'a', 'b c').catch(
      (error) => error,
    )
    expect(ended).toMatchObject({ code: 3, stdout: 'binary a b c\n' })
    rmSync(join(place, 'yoke', 'node_modules'), { recursive: true })
  })

  it('has types that a strict program can use', async () => {
    writeFileSync(
      join(place, 'use.ts'),
      `import { fingerprintSession, shippedFormats, type TrimResult, trim, version } from './yoke/lib/index.js'
       const text: string = version
       export const used: readonly [string, (request: never) => Promise<TrimResult>] = [text, trim]
       export const verdict = async (): Promise<'known' | 'additive' | 'breaking'> =>
         (await fingerprintSession('s.jsonl', '/', { formats: await shippedFormats('claude'), strict: false })).verdict
       // @ts-expect-error: a version is no number
       export const wrong: number = version`,
    )
    await run(
      program('tsc'),
      ...['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', ''],
      ...['--ignoreConfig', 'use.ts'],
    )
  }, 60_000)

  it('passes publint', async () => {
    await run(program('publint'), '--strict', join(place, 'yoke'))
  })
})
