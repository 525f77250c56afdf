import { existsSync } from 'node:fs'
import { open, readFile, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import * as v from 'valibot'
import { knownFormats } from '../../drift/known-formats.ts'
import { sessionFingerprint } from '../../drift/opencode/guard.ts'
import { exitCode, YokeError } from '../../errors.ts'
import { onlyLooks } from '../../transcript/trim.ts'
import type { Agent, SessionTrimmed } from '../agent.ts'
import type { Located, NamedSession } from '../named-session.ts'
import { type Cli, cliIn, installedRelease } from './cli.ts'
import { type Exported, exportSession, type NoExport, readExport } from './export.ts'
import { isSessionId } from './ids.ts'
import { takeInventory } from './inventory.ts'
import { query, quoted } from './query.ts'
import { inScratch } from './scratch.ts'
import { databaseFile, dataFolder, findSession } from './store.ts'
import { foreign, type OpenedSession, trimOpened } from './trim.ts'

type Env = Cli['env']

/** An id, or a file that begins as an export does. */
export const ownsSession = async (named: string, cwd: string): Promise<boolean> => {
  const begins = await beginningOf(resolve(cwd, named))
  return begins === undefined ? isSessionId(named) : /^\s*\{\s*"info"\s*:/.test(begins)
}

const beginningOf = async (file: string): Promise<string | undefined> => {
  const handle = await open(file, 'r').catch(() => undefined)
  try {
    const { buffer, bytesRead } = (await handle?.read(Buffer.alloc(256), 0, 256, 0)) ?? {}
    return buffer?.toString('utf8', 0, bytesRead)
  } catch {
    // A folder.
    return undefined
  } finally {
    await handle?.close()
  }
}

/** Opens a session by an export of it, or the file of one. */
export const openSession: Agent['openSession'] = async (named, cwd, env) => {
  const file = resolve(cwd, named)
  return existsSync(file) ? openExport(file, cwd, env) : openStored(named, cwd, env)
}

/** Such as the backup of a trim. */
const openExport = async (file: string, cwd: string, env: Env): Promise<NamedSession> => {
  const exported = readExport(await readFile(file, 'utf8'))
  const id = typeof exported.session === 'string' ? file : exported.session.info.id
  const found = { file, id, config: dirname(file), ...(await foldersOf(exported, cwd)) }
  const installed = await inScratch(async (folder) => {
    const cli = await cliIn(folder, env).catch(() => undefined)
    return cli && installedRelease(cli, join(folder, 'version'))
  })
  return sessionOf(found, { ...exported, installed }, env)
}

const openStored = (named: string, cwd: string, env: Env): Promise<NamedSession> =>
  inScratch(async (folder) => {
    // In a folder of its own: the commands of OpenCode write into the repository that they run in.
    const cli = await cliIn(folder, env)
    const [{ id, exported }, installed] = await Promise.all([
      exportNamed(cli, named, cwd, join(folder, 'export.json')),
      installedRelease(cli, join(folder, 'version')),
    ])
    const file = (await findSession(id, cwd, env)) ?? databaseFile(env)
    const found = { file, id, config: dataFolder(env), ...(await foldersOf(exported, cwd)) }
    return sessionOf(found, { ...exported, installed }, env, cli.program)
  })

/** By an id or the beginning of one. */
const exportNamed = async (
  cli: Cli,
  named: string,
  cwd: string,
  output: string,
): Promise<{ readonly id: string; readonly exported: Exported }> => {
  const whole = await exportSession(cli, named, output)
  if ('text' in whole) return { id: named, exported: whole }
  const id = whole.code === 'missing' ? await idBeginning(named, cli, cwd, output) : undefined
  if (id === undefined) throw unreadable(whole)
  const exported = await exportSession(cli, id, output)
  if ('text' in exported) return { id, exported }
  throw unreadable(exported)
}

/** The session whose id begins so; those of this folder come first. Throws `E_NO_SESSION` when it fits several. */
const idBeginning = async (
  named: string,
  cli: Cli,
  cwd: string,
  output: string,
): Promise<string | undefined> => {
  const sql = `SELECT id, directory FROM session WHERE substr(id, 1, ${named.length}) = ${quoted(named)}`
  const all = await query(cli, sql, v.object({ id: v.string(), directory: v.string() }), output)
  const here = await realpath(cwd)
  const mine = all.filter(({ directory }) => directory === here)
  const choices = mine.length > 0 ? mine : all
  if (choices.length < 2) return choices[0]?.id
  throw new YokeError(
    'E_NO_SESSION',
    `"${named}" fits ${choices.length} sessions: ${choices.map(({ id }) => id).join(', ')}.`,
    'Name one of them.',
    exitCode.usage,
  )
}

const unreadable = ({ code, reason }: NoExport): YokeError =>
  code === 'missing'
    ? new YokeError(
        'E_NO_SESSION',
        reason,
        'Name its id: `yoke status` shows the one of a run, `opencode session list` those of a folder.',
        exitCode.usage,
      )
    : new YokeError('E_EXPORT', reason, 'Look at its store with `yoke doctor --agent opencode`.')

const foldersOf = async ({ session }: Exported, cwd: string): Promise<Pick<Located, 'cwds' | 'remarks'>> => {
  if (typeof session === 'string') return { cwds: [], remarks: [] }
  const { directory } = session.info
  const isHere = directory === (await realpath(cwd))
  return {
    cwds: [directory],
    remarks: isHere ? [] : [`It began in ${directory}, not in this folder: OpenCode goes on with it there.`],
  }
}

/** `program` is what stores the session; undefined for the file of an export. */
const sessionOf = (found: Located, opened: OpenedSession, env: Env, program?: string): NamedSession => ({
  found,
  inventory: async () => {
    const { session } = opened
    if (typeof session !== 'string') return takeInventory(session)
    throw new YokeError('E_NOT_A_SESSION', foreign(session), 'See what differs with `yoke fingerprint`.')
  },
  fingerprint: async (strict) => {
    const formats = await knownFormats('opencode', env)
    return sessionFingerprint(opened.json, formats, { strict, installed: opened.installed })
  },
  trim: async (wishes) => {
    const [cwd = ''] = found.cwds
    const obstacle = onlyLooks(wishes) ? undefined : obstacleTo(cwd, program)
    if (obstacle !== undefined) return obstacle
    const named = { session: found.id, file: found.file, cwd, env, program: program ?? '' }
    return trimOpened(opened, { ...wishes, ...named, harder: false })
  },
})

const obstacleTo = (directory: string, program: string | undefined): SessionTrimmed | undefined => {
  if (program === undefined)
    return refused(
      'no-store',
      'It is the file of an export, not a stored session: name the id, or another file with --out',
    )
  if (directory !== '' && !existsSync(directory))
    return refused('no-folder', `OpenCode goes on with the session in ${directory}, which is not there.`)
  return undefined
}

const refused = (code: string, reason: string): SessionTrimmed => ({ status: 'refused', code, reason })
