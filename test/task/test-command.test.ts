import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { findTestCommand } from '../../src/task/test-command.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const script = (test: string) => JSON.stringify({ scripts: { test } })

it.each<[string, Readonly<Record<string, string>>, string | undefined]>([
  ['nothing', {}, undefined],
  ['a script of npm', { 'package.json': script('vitest') }, 'npm test'],
  ['pnpm', { 'package.json': script('vitest'), 'pnpm-lock.yaml': '' }, 'pnpm test'],
  ['bun', { 'package.json': script('x'), 'bun.lock': '' }, 'bun run test'],
  [
    'the placeholder that npm writes',
    { 'package.json': script('echo "Error: no test specified" && exit 1') },
    undefined,
  ],
  ['a package without scripts', { 'package.json': '{}', 'go.mod': '' }, 'go test ./...'],
  ['JSON that is none', { 'package.json': '{"scripts": [' }, undefined],
  ['a Makefile with tests', { Makefile: 'all:\n\ntest: all\n', 'package.json': script('x') }, 'make test'],
  ['a Makefile without', { Makefile: 'tests-old:\n', 'Cargo.toml': '' }, 'cargo test'],
  ['pytest', { 'pyproject.toml': '[tool.pytest.ini_options]\n' }, 'pytest'],
  ['Python without pytest', { 'pyproject.toml': '[project]\n' }, undefined],
  ['a folder of that name', { 'Cargo.toml/x': '' }, undefined],
  ['a task of Deno', { 'deno.json': '{"tasks": {"test": "deno test -A"}}' }, 'deno task test'],
])('finds how %s is tested', async (_what, files, command) => {
  const cwd = await temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
  expect(await findTestCommand(cwd)).toBe(command)
})
