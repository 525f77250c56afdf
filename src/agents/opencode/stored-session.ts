import { existsSync } from 'node:fs'
import { open, readFile, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { knownFormats } from '../../drift/known-formats.ts'
import { sessionFingerprint } from '../../drift/opencode/guard.ts'
import { isJson } from '../../drift/parts.ts'
import { exitCode, YokeError } from '../../errors.ts'
import { onlyLooks } from '../../transcript/trim.ts'
import type { Agent, SessionTrimmed } from '../agent.ts'
import { ambiguous, type Located, type NamedSession } from '../named-session.ts'
import { type Cli, cliIn, installedRelease } from './cli.ts'
import { sessionsBeginning } from './database.ts'
import { type Exported, exportSession, type NoExport, readExport } from './export.ts'
import { exportFromCopy } from './export-copy.ts'
import { isSessionId } from './ids.ts'
import { takeInventory } from './inventory.ts'
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
  return (await beginningOf(file)) === undefined ? openStored(named, cwd, env) : openExport(file, cwd, env)
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
  const obstacle =
    'It is the file of an export, not a stored session: name the id, or another file with --out.'
  return sessionOf(found, { ...exported, installed }, env, { obstacle })
}

/** By an id or the beginning of one. Sessions of runs in containers are in a store of the project's. */
const openStored = async (named: string, cwd: string, env: Env): Promise<NamedSession> => {
  const known = await idBeginning(named, cwd, env)
  const inProject = {
    ...env,
    OPENCODE_DB: undefined,
    XDG_DATA_HOME: join(cwd, '.loop', 'agent-home', 'data'),
  }
  const ofContainers = known === undefined ? await idBeginning(named, cwd, inProject) : undefined
  return ofContainers === undefined
    ? openOwn(known ?? named, cwd, env)
    : openOfContainers(ofContainers, cwd, inProject)
}

const openOwn = (id: string, cwd: string, env: Env): Promise<NamedSession> =>
  inScratch(async (folder) => {
    // In a folder of its own: the commands of OpenCode write into the repository that they run in.
    const cli = await cliIn(folder, env)
    const [answer, installed] = await Promise.all([
      exportSession(cli, id, join(folder, 'export.json')),
      installedRelease(cli, join(folder, 'version')),
    ])
    const exported = legible(answer)
    const file = (await findSession(id, cwd, env)) ?? databaseFile(env)
    const found = { file, id, config: dataFolder(env), ...(await foldersOf(exported, cwd)) }
    return sessionOf(found, { ...exported, installed }, env, cli)
  })

/** The OpenCode of this machine may be one that changes the store, and the release that goes on with the session is the image's. */
const openOfContainers = async (id: string, cwd: string, env: Env): Promise<NamedSession> => {
  const { program } = await cliIn(cwd, env)
  const exported = legible(await exportFromCopy({ program, env }, id))
  const file = databaseFile(env)
  const found = { file, id, config: dataFolder(env), ...(await foldersOf(exported, cwd)) }
  const obstacle = `It is one of a run in containers, which ${file} holds for the OpenCode of the image.`
  return sessionOf(found, { ...exported, installed: undefined }, env, { obstacle })
}

/** The session whose id begins so; those of this folder come first. Throws `E_NO_SESSION` when it fits several. */
const idBeginning = async (named: string, cwd: string, env: Env): Promise<string | undefined> => {
  const all = await sessionsBeginning(named, env)
  const here = await realpath(cwd)
  const mine = all.filter(({ directory }) => directory === here)
  const choices = mine.length > 0 ? mine : all
  if (choices.length < 2) return choices[0]?.id
  throw ambiguous(
    named,
    choices.map(({ id }) => id),
    'Name one of them.',
  )
}

/** Throws `E_NO_SESSION`, and `E_EXPORT` when the store cannot be read. */
const legible = (exported: Exported | NoExport): Exported => {
  if ('text' in exported) return exported
  const { code, reason } = exported
  if (code === 'export')
    throw new YokeError('E_EXPORT', reason, 'Look at its store with `yoke doctor --agent opencode`.')
  throw new YokeError(
    'E_NO_SESSION',
    reason,
    'Name its id: `yoke status` shows the one of a run, `opencode session list` those of a folder.',
    exitCode.usage,
  )
}

const foldersOf = async ({ session }: Exported, cwd: string): Promise<Pick<Located, 'cwds' | 'remarks'>> => {
  if (typeof session === 'string') return { cwds: [], remarks: [] }
  const { directory } = session.info
  const isHere = directory === (await realpath(cwd))
  return {
    cwds: [directory],
    remarks: isHere ? [] : [`It began in ${directory}, not in this folder: OpenCode goes on with it there.`],
  }
}

/** What would store the trimmed session, or why nothing can. */
type Keeper = { readonly program: string } | { readonly obstacle: string }

const sessionOf = (found: Located, opened: OpenedSession, env: Env, keeper: Keeper): NamedSession => ({
  found,
  inventory: async () => {
    const { session } = opened
    if (typeof session !== 'string') return takeInventory(session)
    throw notASession(session, 'See what differs with `yoke fingerprint`.')
  },
  fingerprint: async (strict) => {
    if (!isJson(opened.json)) throw notASession(String(opened.session), 'Name another file.')
    const formats = await knownFormats('opencode', env)
    return sessionFingerprint(opened.json, formats, { strict, installed: opened.installed })
  },
  trim: async (wishes) => {
    const [cwd = ''] = found.cwds
    const isLeft = onlyLooks(wishes)
    if (!isLeft && 'obstacle' in keeper) return refused('not-stored', keeper.obstacle)
    if (!isLeft && cwd !== '' && !existsSync(cwd))
      return refused('no-folder', `OpenCode goes on with the session in ${cwd}, which is not there.`)
    const program = 'program' in keeper ? keeper.program : ''
    const named = { session: found.id, file: found.file, cwd, env, program }
    return trimOpened(opened, { ...wishes, ...named, harder: false })
  },
})

const notASession = (what: string, fix: string): YokeError =>
  new YokeError('E_NOT_A_SESSION', foreign(what), fix)

const refused = (code: string, reason: string): SessionTrimmed => ({ status: 'refused', code, reason })
