import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { access, constants, mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { YokeError } from '../errors.ts'

const run = promisify(execFile)

type Packaging = {
  /** For people. */
  readonly title: string
  /** The package on npm. */
  readonly name: string
  /** Its native program has a package of its own for each kind of machine, and an install script, which npm may skip. */
  readonly native: (machine: string) => string
  readonly program: string
}

const packages = {
  claude: {
    title: 'Claude Code',
    name: '@anthropic-ai/claude-code',
    native: (machine) => join('@anthropic-ai', `claude-code-${machine}`),
    program: 'claude',
  },
  opencode: {
    title: 'OpenCode',
    name: 'opencode-ai',
    native: (machine) => join(`opencode-${machine}`, 'bin'),
    program: 'opencode',
  },
} as const satisfies Record<string, Packaging>

/** An agent whose releases yoke can install for itself. */
export type ReleasedAgent = keyof typeof packages

/** The releases that the demo and the tests run, and that the trim was verified on. */
export const pinned: Readonly<Record<ReleasedAgent, string>> = { claude: '2.1.332', opencode: '1.18.33' }

type Env = Readonly<Record<string, string | undefined>>

/** Where releases of agents that yoke installs for itself are kept: `$XDG_CACHE_HOME/yoke`, or as the system has it. */
export const cacheFolder = (env: Env): string => {
  const xdg = env['XDG_CACHE_HOME']
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'yoke')
  const local = env['LOCALAPPDATA']
  if (process.platform === 'win32' && local) return join(local, 'yoke', 'cache')
  return join(env['HOME'] || env['USERPROFILE'] || homedir(), '.cache', 'yoke')
}

/** Where `ensureRelease` keeps a release. */
export const releaseFolder = (agent: ReleasedAgent, version: string, cache: string): string =>
  join(cache, agent, version)

/**
 * The program of an exact release of an agent, installed from npm unless it is there (some 400 MB). A release appears in
 * the cache whole or not at all, and only when its program starts; several may call this at once. Throws `E_INSTALL`.
 */
export const ensureRelease = async (
  agent: ReleasedAgent,
  version: string,
  cache: string,
  onInstall: () => void = () => {},
): Promise<string> => {
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    throw new YokeError(
      'E_INSTALL',
      `${version} is not the exact version of a release.`,
      `Write it like ${pinned[agent]}.`,
    )
  const packaging = packages[agent]
  const folder = releaseFolder(agent, version, cache)
  const present = await firstExecutable(packaging, folder)
  if (present !== undefined) return present
  onInstall()
  const temporary = `${folder}.${randomUUID().slice(0, 8)}.tmp`
  try {
    await install(packaging, version, temporary)
    // Of two that install at once the first one wins; both installed the same.
    await rename(temporary, folder).catch((error) => ignoreTaken(error))
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
  const installed = await firstExecutable(packaging, folder)
  if (installed !== undefined) return installed
  throw new YokeError(
    'E_INSTALL',
    `${folder} holds no program of ${packaging.title}.`,
    'Remove this folder and try again.',
  )
}

const install = async (packaging: Packaging, version: string, folder: string): Promise<void> => {
  const { title, name, program } = packaging
  const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel', 'error']
  try {
    await mkdir(folder, { recursive: true })
    // On Windows npm is a script, which only a shell can start.
    await run('npm', ['install', ...options, '--prefix', folder, `${name}@${version}`], {
      shell: process.platform === 'win32',
      maxBuffer: 16 * 1024 * 1024,
    })
  } catch (error) {
    throw new YokeError(
      'E_INSTALL',
      `${title} ${version} could not be installed from npm: ${lastWords(error)}`,
      `See that npm works and that the disk has room, or put \`${program}\` on PATH.`,
    )
  }
  const file = await firstExecutable(packaging, folder)
  const starts = file !== undefined && (await run(file, ['--version']).then(...truth))
  if (!starts)
    throw new YokeError(
      'E_INSTALL',
      `npm installed ${title} ${version}, but it has no program that starts on ${process.platform} ${process.arch}.`,
      `Put a \`${program}\` that runs on PATH.`,
    )
}

const truth = [() => true, () => false] as const

/** The native program, or else `bin` of the main package: a script of Node in old releases of Claude Code. */
const firstExecutable = async (packaging: Packaging, folder: string): Promise<string | undefined> => {
  const { native, program } = packaging
  const { platform, arch } = process
  const isWindows = platform === 'win32'
  const machine = `${isWindows && program === 'opencode' ? 'windows' : platform}-${arch}`
  const candidates = [
    ...['', '-musl', '-baseline', '-baseline-musl'].map((kind) =>
      join(native(`${machine}${kind}`), isWindows ? `${program}.exe` : program),
    ),
    join('.bin', isWindows ? `${program}.cmd` : program),
  ].map((path) => join(folder, 'node_modules', path))
  for (const candidate of candidates) {
    if (await access(candidate, constants.X_OK).then(...truth)) return candidate
  }
  return undefined
}

const ignoreTaken = (error: NodeJS.ErrnoException): void => {
  if (!['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES'].includes(error.code ?? '')) throw error
}

const lastWords = (error: unknown): string => {
  const { stderr, message } = error as { readonly stderr?: string; readonly message?: string }
  return (stderr?.trim().split('\n').at(-1) || message?.split('\n')[0]) ?? String(error)
}
