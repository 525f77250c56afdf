// Compiles the binary: `bun build.ts` for this host into dist/yoke, `bun build.ts --target all` for every target.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import type { BunPlugin } from 'bun'

const targets = [
  'linux-x64',
  'linux-x64-musl',
  'linux-arm64',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'windows-x64',
] as const
type Target = (typeof targets)[number]

/** A binary has no vectors/ folder beside it: the module that reads the folder is replaced by one that holds its text. */
const embedVectors: BunPlugin = {
  name: 'embed-vectors',
  setup: (build) => {
    build.onLoad({ filter: /src[\\/]vectors[\\/]files\.ts$/ }, () => ({
      loader: 'ts',
      contents: `export const vectorFiles = () => new Map(${JSON.stringify(textFiles('vectors'))})`,
    }))
  },
}

const textFiles = (folder: string): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [relative(folder, path).replaceAll('\\', '/'), readFileSync(path, 'utf8')] as const)

const compile = async (target: Target | undefined, outfile: string) => {
  const result = await Bun.build({
    entrypoints: ['src/main.ts'],
    // Commands are chunks of their own and compiled ahead: `yoke --version` starts in half the time.
    splitting: true,
    bytecode: true,
    format: 'esm',
    minify: { whitespace: true, syntax: true },
    plugins: [embedVectors],
    compile: {
      outfile,
      ...(target === undefined ? {} : { target: `bun-${target}` as Bun.Build.CompileTarget }),
    },
  })
  if (!result.success) throw new AggregateError(result.logs, `The build for ${target ?? 'this host'} failed.`)
  console.log(outfile)
}

const { values } = parseArgs({ options: { target: { type: 'string', default: 'host' } } })
mkdirSync('dist', { recursive: true })
const wanted = values.target
const chosen = wanted === 'all' ? targets : targets.filter((target) => target === wanted)
if (wanted === 'host') await compile(undefined, 'dist/yoke')
else if (chosen.length === 0)
  throw new Error(`unknown target ${wanted}: use host, all, ${targets.join(', ')}`)
for (const target of chosen)
  await compile(target, `dist/yoke-${target}${target.startsWith('windows') ? '.exe' : ''}`)
