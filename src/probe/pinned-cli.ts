import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { access, constants, mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { YokeError } from '../errors.ts'

const run = promisify(execFile)

/** The release that the demo and the tests run, and that the trim was verified on. */
export const pinnedClaude = '2.1.332'

type Env = Readonly<Record<string, string | undefined>>

/** Where releases of agents that yoke installs for itself are kept: `$XDG_CACHE_HOME/yoke`, or as the system has it. */
export const cacheFolder = (env: Env): string => {
  const xdg = env['XDG_CACHE_HOME']
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'yoke')
  const local = env['LOCALAPPDATA']
  if (process.platform === 'win32' && local) return join(local, 'yoke', 'cache')
  return join(env['HOME'] || env['USERPROFILE'] || homedir(), '.cache', 'yoke')
}

/** Where `ensureClaude` keeps a release. */
export const releaseFolder = (version: string, cache: string): string => join(cache, 'claude', version)

/**
 * The program of an exact release of Claude Code, installed from npm unless it is there (some 400 MB). A release appears in
 * the cache whole or not at all, and only when its program starts; several may call this at once. Throws `E_INSTALL`.
 */
export const ensureClaude = async (
  version: string,
  cache: string,
  onInstall: () => void = () => {},
): Promise<string> => {
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    throw new YokeError(
      'E_INSTALL',
      `${version} is not the exact version of a release.`,
      'Write it like 2.1.332.',
    )
  const folder = releaseFolder(version, cache)
  const present = await firstExecutable(folder)
  if (present !== undefined) return present
  onInstall()
  const temporary = `${folder}.${randomUUID().slice(0, 8)}.tmp`
  try {
    await install(version, temporary)
    // Of two that install at once the first one wins; both installed the same.
    await rename(temporary, folder).catch((error) => ignoreTaken(error))
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
  const installed = await firstExecutable(folder)
  if (installed !== undefined) return installed
  throw new YokeError(
    'E_INSTALL',
    `${folder} holds no program of Claude Code.`,
    'Remove this folder and try again.',
  )
}

const install = async (version: string, folder: string): Promise<void> => {
  const name = `@anthropic-ai/claude-code@${version}`
  const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel', 'error']
  try {
    await mkdir(folder, { recursive: true })
    // On Windows npm is a script, which only a shell can start.
    await run('npm', ['install', ...options, '--prefix', folder, name], {
      shell: process.platform === 'win32',
      maxBuffer: 16 * 1024 * 1024,
    })
  } catch (error) {
    throw new YokeError(
      'E_INSTALL',
      `Claude Code ${version} could not be installed from npm: ${lastWords(error)}`,
      'See that npm works and that the disk has room, or put `claude` on PATH.',
    )
  }
  const program = await firstExecutable(folder)
  const starts = program !== undefined && (await run(program, ['--version']).then(...truth))
  if (!starts)
    throw new YokeError(
      'E_INSTALL',
      `npm installed Claude Code ${version}, but it has no program that starts on ${process.platform} ${process.arch}.`,
      'Put a `claude` that runs on PATH.',
    )
}

const truth = [() => true, () => false] as const

/**
 * The native program has a package of its own since some 2.1 release; an install script, which npm may skip, puts it in the
 * place of the `bin` of the main package. Before that, `bin` is a script of Node.
 */
const firstExecutable = async (folder: string): Promise<string | undefined> => {
  const { platform, arch } = process
  const program = platform === 'win32' ? 'claude.exe' : 'claude'
  const candidates = [
    ...[`${platform}-${arch}`, `${platform}-${arch}-musl`].map((machine) =>
      join('@anthropic-ai', `claude-code-${machine}`, program),
    ),
    join('.bin', platform === 'win32' ? 'claude.cmd' : 'claude'),
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
