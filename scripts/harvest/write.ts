import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { $ } from 'zx'
import { type Format, FormatSchema } from '../../src/drift/format.ts'

const schemas = join(import.meta.dirname, '..', '..', 'src', 'drift', 'schemas')
const folder = join(schemas, 'claude')

/** The formats that are there. */
export const readFormats = async (): Promise<readonly Format[]> => {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
  return Promise.all(
    names.map(async (name) => v.parse(FormatSchema, JSON.parse(await readFile(join(folder, name), 'utf8')))),
  )
}

/** Replaces them, a file each, with the module that imports them all. */
export const writeFormats = async (formats: readonly Format[]): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const format of formats)
    await writeFile(join(folder, `${format.from}.json`), `${JSON.stringify(format)}\n`)
  await writeFile(join(schemas, 'claude.ts'), moduleText(formats.map(({ from }) => from)))
  await $({ quiet: true })`npx biome check --write ${schemas}`
}

const moduleText = (names: readonly string[]): string =>
  [
    '// Made by scripts/harvest.ts: do not edit.',
    ...names.map((name, index) => `import format${index} from './claude/${name}.json' with { type: 'json' }`),
    '',
    '/** Every format of Claude Code, oldest first, as it stands in its file. */',
    `export const claudeFormats: readonly unknown[] = [${names.map((_, index) => `format${index}`).join(', ')}]`,
    '',
  ].join('\n')
