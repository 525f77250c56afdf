import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bundledPackages } from '../../src/licenses.ts'
import { yoke } from '../helpers/yoke.ts'

const root = join(import.meta.dirname, '..', '..')

/** The packages whose code Bun puts into the binary. */
const inBundle = (): readonly string[] => {
  const script = `const { metafile } = await Bun.build({ entrypoints: ['src/start.ts'], target: 'node', metafile: true })
    console.log(JSON.stringify(Object.keys(metafile.inputs)))`
  const inputs = execFileSync(join(root, 'node_modules', '.bin', 'bun'), ['-e', script], { cwd: root })
  const names = (JSON.parse(inputs.toString()) as readonly string[]).map(
    (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1],
  )
  return [...new Set(names.filter((name) => name !== undefined))].sort()
}

it('lists every package whose code is a part of yoke, with its text', () => {
  const names = bundledPackages().map(({ name }) => name)
  expect(inBundle().filter((name) => !names.includes(name))).toEqual([])
  expect(bundledPackages().filter(({ text, license }) => text === '' || !license)).toEqual([])
})

it('prints them from the binary, with the runtime', async () => {
  const { stdout, code } = await yoke(['licenses', '--json'], { cwd: '/', env: {} })
  expect(code).toBe(0)
  const names = JSON.parse(stdout).map(({ name }: { name: string }) => name)
  expect(names).toEqual([...bundledPackages().map(({ name }) => name), 'bun'])
  const { stdout: text } = await yoke(['licenses'], { cwd: '/', env: {} })
  expect(text).toContain('valibot 1.5.0 (MIT)\n\n  ')
  expect(text).toMatch(/\nbun \d+\.\d+\.\d+ \(MIT\)\n/)
  expect(text).toContain('- JavaScriptCore and other parts of WebKit: LGPL-2.0-or-later\n')
})
