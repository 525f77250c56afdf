import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { parse } from 'yaml'

type Find = (text: string) => string | undefined

const ScriptsSchema = v.object({ scripts: v.optional(v.record(v.string(), v.unknown())) })
const TasksSchema = v.object({ tasks: v.optional(v.record(v.string(), v.unknown())) })

/** The script that npm writes into a new package fails always. */
const isPlaceholder = (script: unknown): boolean =>
  typeof script !== 'string' || script.includes('no test specified')

const fromScripts: (command: string) => Find = (command) => (text) => {
  const { success, output } = v.safeParse(ScriptsSchema, parsed(text))
  return success && !isPlaceholder(output.scripts?.['test']) ? command : undefined
}

const denoTask: Find = (text) => {
  const { success, output } = v.safeParse(TasksSchema, parsed(text))
  return success && output.tasks?.['test'] !== undefined ? 'deno task test' : 'deno test'
}

/** JSON is YAML too, but for tabs; comments as in deno.jsonc are not. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    try {
      return parse(text)
    } catch {
      return undefined
    }
  }
}

const always =
  (command: string): Find =>
  () =>
    command
const where =
  (pattern: RegExp, command: string): Find =>
  (text) =>
    pattern.test(text) ? command : undefined

/** The file that tells how a project is tested, and what it tells. The first that fits counts: a Makefile speaks for the whole project. */
const signs: readonly (readonly [file: string, find: Find])[] = [
  ['Makefile', where(/^test\s*:/m, 'make test')],
  ['justfile', where(/^test\b.*:/m, 'just test')],
  ['package.json', fromScripts('npm test')],
  ['deno.json', denoTask],
  ['deno.jsonc', denoTask],
  ['Cargo.toml', always('cargo test')],
  ['go.mod', always('go test ./...')],
  ['pytest.ini', always('pytest')],
  ['pyproject.toml', where(/pytest/, 'pytest')],
  ['tox.ini', where(/pytest/, 'pytest')],
  ['mix.exs', always('mix test')],
  ['pom.xml', always('mvn -q test')],
  ['gradlew', always('./gradlew test')],
  ['composer.json', fromScripts('composer test')],
  ['.rspec', always('bundle exec rspec')],
  ['Package.swift', always('swift test')],
  ['stack.yaml', always('stack test')],
  ['dune-project', always('dune test')],
]

/** Which package manager a project uses, by the file that it locks its packages in. */
const lockfiles: readonly (readonly [file: string, command: string])[] = [
  ['pnpm-lock.yaml', 'pnpm test'],
  ['yarn.lock', 'yarn test'],
  ['bun.lock', 'bun run test'],
  ['bun.lockb', 'bun run test'],
]

/** The command that tests the project, as its files tell it; undefined when they do not. */
export const findTestCommand = async (project: string): Promise<string | undefined> => {
  const read = (file: string) => readFile(join(project, file), 'utf8').catch(() => undefined)
  for (const [file, find] of signs) {
    const text = await read(file)
    const command = text === undefined ? undefined : find(text)
    if (command === undefined) continue
    if (command !== 'npm test') return command
    for (const [lockfile, ofManager] of lockfiles) if ((await read(lockfile)) !== undefined) return ofManager
    return command
  }
  return undefined
}
