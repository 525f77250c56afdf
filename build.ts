// Compiles the binary: `bun build.ts` for this host into dist/yoke, `bun build.ts --target all` for every target.
// Bun has one program for every x64 machine with SSE4.2 and takes newer instructions as it finds them: there is no baseline target.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import type { BunPlugin } from 'bun'
import type { Build } from './src/version.ts'

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

const git = (...args: readonly string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

const commit = git('rev-parse', 'HEAD')
const source: Omit<Build, 'target'> = {
  commit: commit ?? null,
  date: commit === undefined ? null : new Date(git('log', '-1', '--format=%cI') ?? '').toISOString(),
  modified: (git('status', '--porcelain', '--untracked-files=no') ?? '') !== '',
}

const host = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

const compile = async (target: Target | undefined, outfile: string) => {
  const build: Build = { ...source, target: target ?? host }
  const result = await Bun.build({
    entrypoints: ['src/start.ts'],
    // Commands are chunks of their own and compiled ahead: `yoke --version` starts as fast as a program that does nothing.
    splitting: true,
    bytecode: true,
    format: 'esm',
    minify: { whitespace: true, syntax: true },
    define: { YOKE_BUILD: JSON.stringify(build) },
    plugins: [embedVectors],
    compile: {
      outfile,
      ...(target === undefined ? {} : { target: `bun-${target}` as Bun.Build.CompileTarget }),
      // By itself a binary of Bun runs the `preload` of a bunfig.toml and takes over the .env of the folder that it is started
      // in: both belong to the user's project, which may be a stranger's.
      autoloadBunfig: false,
      autoloadDotenv: false,
    },
  })
  if (!result.success) throw new AggregateError(result.logs, `The build for ${target ?? 'this host'} failed.`)
  console.log(outfile)
}

const { values } = parseArgs({
  options: { target: { type: 'string', default: 'host' }, outdir: { type: 'string', default: 'dist' } },
})
const { target: wanted, outdir } = values
mkdirSync(outdir, { recursive: true })
const chosen = wanted === 'all' ? targets : targets.filter((target) => target === wanted)
if (wanted === 'host') await compile(undefined, join(outdir, 'yoke'))
else if (chosen.length === 0)
  throw new Error(`unknown target ${wanted}: use host, all, ${targets.join(', ')}`)
for (const target of chosen)
  await compile(target, join(outdir, `yoke-${target}${target.startsWith('windows') ? '.exe' : ''}`))
