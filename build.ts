// Compiles the binary: `bun build.ts` for this host into dist/yoke, `bun build.ts --target all` for every target.
// Bun has one program for every x64 machine with SSE4.2 and takes newer instructions as it finds them: there is no baseline target.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BunPlugin } from 'bun'
import { bundledPackages } from './src/licenses.ts'
import { vectorFiles } from './src/vectors/files.ts'
import type { Build } from './src/version.ts'

export const targets = [
  'linux-x64',
  'linux-x64-musl',
  'linux-arm64',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'windows-x64',
] as const
export type Target = (typeof targets)[number]

/** A binary has no folders beside it: a module that reads one is replaced by one that holds what it read. */
const embed = (module: string, exported: string, content: string): BunPlugin => ({
  name: `embed ${module}`,
  setup: (build) => {
    build.onLoad({ filter: new RegExp(`src[\\\\/]${module.replace('/', '[\\\\/]')}\\.ts$`) }, () => ({
      loader: 'ts',
      contents: `export const ${exported} = () => ${content}`,
    }))
  },
})

export const embedded = [
  embed('vectors/files', 'vectorFiles', `new Map(${JSON.stringify([...vectorFiles()])})`),
  embed('licenses', 'bundledPackages', JSON.stringify(bundledPackages())),
]

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

/** What the sources know of their build. */
export const define = (target: string) => ({
  YOKE_BUILD: JSON.stringify({ ...source, target } satisfies Build),
})

const host = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

export const compile = async (target: Target | undefined, outfile: string): Promise<void> => {
  const result = await Bun.build({
    entrypoints: ['src/start.ts'],
    // Commands are chunks of their own and compiled ahead: `yoke --version` starts as fast as a program that does nothing.
    splitting: true,
    bytecode: true,
    format: 'esm',
    minify: { whitespace: true, syntax: true },
    define: define(target ?? host),
    plugins: embedded,
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

/** The name of the binary of a target, beside those of the others. */
export const binaryName = (target: Target): string =>
  `yoke-${target}${target.startsWith('windows') ? '.exe' : ''}`

if (import.meta.main) {
  const { values } = parseArgs({
    options: { target: { type: 'string', default: 'host' }, outdir: { type: 'string', default: 'dist' } },
  })
  const { target: wanted, outdir } = values
  mkdirSync(outdir, { recursive: true })
  const chosen = wanted === 'all' ? targets : targets.filter((target) => target === wanted)
  if (wanted === 'host') await compile(undefined, join(outdir, 'yoke'))
  else if (chosen.length === 0)
    throw new Error(`unknown target ${wanted}: use host, all, ${targets.join(', ')}`)
  for (const target of chosen) await compile(target, join(outdir, binaryName(target)))
}
