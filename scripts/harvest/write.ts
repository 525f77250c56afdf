import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { $ } from 'zx'
import { type DriftAgent, type Format, FormatSchema } from '../../src/drift/format.ts'

const schemas = join(import.meta.dirname, '..', '..', 'src', 'drift', 'schemas')

/** The formats of an agent that are there. */
export const readFormats = async (agent: DriftAgent): Promise<readonly Format[]> => {
  const folder = join(schemas, agent)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
  return Promise.all(
    names.map(async (name) => v.parse(FormatSchema, JSON.parse(await readFile(join(folder, name), 'utf8')))),
  )
}

/** Replaces them, a file each, with the module that imports them all. */
export const writeFormats = async (agent: DriftAgent, formats: readonly Format[]): Promise<void> => {
  const folder = join(schemas, agent)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const format of formats)
    await writeFile(join(folder, `${format.from}.json`), `${JSON.stringify(format)}\n`)
  const text = moduleText(
    agent,
    formats.map(({ from }) => from),
  )
  await writeFile(join(schemas, `${agent}.ts`), text)
  await $({ quiet: true })`npx biome check --write ${schemas}`
}

const titles: Readonly<Record<DriftAgent, string>> = { claude: 'Claude Code', opencode: 'OpenCode' }

const moduleText = (agent: DriftAgent, names: readonly string[]): string =>
  [
    '// Made by scripts/harvest.ts: do not edit.',
    ...names.map(
      (name, index) => `import format${index} from './${agent}/${name}.json' with { type: 'json' }`,
    ),
    '',
    `/** Every format of ${titles[agent]}, oldest first, as it stands in its file. */`,
    `export const ${agent}Formats: readonly unknown[] = [${names.map((_, index) => `format${index}`).join(', ')}]`,
    '',
  ].join('\n')
