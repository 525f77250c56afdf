import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const src = join(import.meta.dirname, '..', 'src')

/** From the outside to the core, as the page draws it: a folder may import from its own row and from rows below. */
const page = readFileSync(join(src, '..', '.github', 'ARCHITECTURE.md'), 'utf8')
const folders = readdirSync(src, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const rows = (/```text\n([^`]*)```/.exec(page)?.[1] ?? '')
  .trimEnd()
  .split('\n')
  .map((line) => line.trim().split(/ {3,}/))

const rowOf = (folder: string) => rows.findIndex((row) => row.includes(folder))

type Import = { readonly from: string; readonly to: string; readonly typeOnly: boolean }

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))

const importsOf = (file: string): readonly Import[] =>
  [
    ...readFileSync(join(src, file), 'utf8').matchAll(
      /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)/gm,
    ),
  ].map(([, type, named, dynamic]) => ({
    from: file,
    to: named ?? dynamic ?? '',
    typeOnly: type !== undefined,
  }))

const imports = files.flatMap(importsOf)
const folderOf = (path: string) => path.split('/')[0] ?? ''
const target = ({ from, to }: Import) => relative(src, join(src, dirname(from), to))

describe('the architecture', () => {
  it('finds the files that it judges', () => {
    expect(files.length).toBeGreaterThan(20)
    expect(imports.length).toBeGreaterThan(50)
  })

  it('imports only node: modules and packages that package.json lists', () => {
    const { dependencies } = JSON.parse(readFileSync(join(src, '..', 'package.json'), 'utf8'))
    const foreign = imports.filter(
      ({ to }) =>
        !to.startsWith('.') &&
        !to.startsWith('node:') &&
        !(
          to
            .split('/')
            .slice(0, to.startsWith('@') ? 2 : 1)
            .join('/') in dependencies
        ),
    )
    expect(foreign).toEqual([])
  })

  it('names every file with its extension, as Deno and Node want it', () => {
    expect(imports.filter(({ to }) => to.startsWith('.') && !/\.(ts|json)$/.test(to))).toEqual([])
  })

  it('keeps the core pure: loop/ imports nothing from outside but types', () => {
    const outward = imports.filter(
      (each) => folderOf(each.from) === 'loop' && !each.typeOnly && folderOf(target(each)) !== 'loop',
    )
    expect(outward).toEqual([])
  })

  it('points its imports one way, from the commands to the core', () => {
    const upward = imports.filter((each) => {
      if (each.typeOnly || !each.to.startsWith('.') || !each.from.includes('/')) return false
      const [from, to] = [rowOf(folderOf(each.from)), rowOf(folderOf(target(each)))]
      return to !== -1 && to < from
    })
    expect(upward).toEqual([])
  })

  it('has a row and a description for every folder', () => {
    expect(folders.filter((folder) => rowOf(folder) === -1)).toEqual([])
    expect(folders.filter((folder) => !page.includes(`\`src/${folder}/\``))).toEqual([])
  })
})
