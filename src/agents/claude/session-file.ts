import { closeSync, fstatSync, openSync, realpathSync, statSync } from 'node:fs'
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { namesIn } from '../../system/names-in.ts'
import { parseRecord } from '../../transcript/record.ts'
import { readStretch } from '../../transcript/source-bytes.ts'
import type { Agent, SessionLoss } from '../agent.ts'
import { slug } from './slug.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where Claude Code keeps its sessions, settings and login. */
export const configFolder = (env: Env): string =>
  (env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude')).normalize('NFC')

/** Holds one folder of session files for each project. */
export const projectsFolder = (env: Env): string => join(configFolder(env), 'projects')

/** Holds `<pid>.json` for each running CLI, and secrets of theirs: read nothing else there. */
export const registryFolder = (env: Env): string => join(configFolder(env), 'sessions')

/** Where the sessions of the project at `cwd` should be. `cwd` may lead there by symbolic links. */
export const sessionFolder = (cwd: string, env: Env): string =>
  join(projectsFolder(env), env['CLAUDE_CODE_PROJECT_DIR_NAME'] || slug(realPath(cwd)))

export type StoredSession = {
  readonly file: string
  readonly id: string
  readonly changedAt: number
  readonly bytes: number
}

/** The sessions in the folder of a project, the newest first. */
export const storedSessions = async (cwd: string, env: Env): Promise<readonly StoredSession[]> => {
  const folder = sessionFolder(cwd, env)
  const names = namesIn(folder).filter((name) => name.endsWith('.jsonl'))
  const found = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name)
      const { mtimeMs, size } = await stat(file)
      return { file, id: name.slice(0, -'.jsonl'.length), changedAt: mtimeMs, bytes: size }
    }),
  )
  return found.sort((a, b) => b.changedAt - a.changedAt)
}

const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/**
 * The file of the session with this id, or undefined when there is none. The folder of `cwd` is only the first guess: a
 * project that was moved, or is reached by another path, has its sessions elsewhere. Of several the newest counts.
 */
export const findSession = async (id: string, cwd: string, env: Env): Promise<string | undefined> => {
  if (!/^[\w-]+$/.test(id)) return undefined
  const guess = join(sessionFolder(cwd, env), `${id}.jsonl`)
  if (changedAt(guess) !== undefined) return guess
  const projects = projectsFolder(env)
  const folders = namesIn(projects)
  const found: { readonly file: string; readonly at: number }[] = []
  for (const folder of folders) {
    const file = join(projects, folder, `${id}.jsonl`)
    const at = changedAt(file)
    if (at !== undefined) found.push({ file, at })
  }
  return found.sort((a, b) => b.at - a.at)[0]?.file
}

/** Undefined unless it is a file. */
const changedAt = (file: string): number | undefined => {
  try {
    const found = statSync(file)
    return found.isFile() ? found.mtimeMs : undefined
  } catch {
    return undefined
  }
}

/** A turn adds lines behind these bytes and leaves them alone. */
const beginning = 1024

/**
 * The CLI ends with 0 and says nothing when it stops writing (anthropics/claude-code#22566), or when its file is deleted under it:
 * it makes a new one with the rest (measured on Claude Code 2.1.332).
 */
export const watchSession = async (
  id: string,
  cwd: string,
  env: Env,
): Promise<() => Promise<SessionLoss | undefined>> => {
  const before = await markOf(id, cwd, env)
  return async () => {
    const after = await markOf(id, cwd, env)
    if (before === undefined || after === undefined) return undefined
    if (!after.begins.subarray(0, before.begins.length).equals(before.begins))
      return {
        class: 'stale-session',
        evidence: `${after.file} has lost its beginning while the agent ran: another program deleted or rewrote it.`,
      }
    return after.bytes === before.bytes
      ? { class: 'no-transcript', evidence: `The agent added nothing to its session file ${after.file}.` }
      : undefined
  }
}

const markOf = async (id: string, cwd: string, env: Env) => {
  const file = await findSession(id, cwd, env)
  if (file === undefined) return undefined
  try {
    const descriptor = openSync(file, 'r')
    try {
      const begins = readStretch(descriptor, { offset: 0, length: beginning })
      return { file, bytes: fstatSync(descriptor).size, begins }
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

/** The first prompt stands near the beginning: so many bytes are looked at, and more only where it is not among them. */
const stretches = [1 << 16, 1 << 20] as const

/** Claude Code goes on with what is left of a file whose beginning is gone, and says nothing (2.1.332). */
export const lostBeginning: NonNullable<Agent['lostBeginning']> = async (id, cwd, env, opening) => {
  const file = await findSession(id, cwd, env)
  if (file === undefined) return undefined
  for (const length of stretches) {
    const begins = beginningOf(file, length)
    const lines = begins.toString('utf8').split('\n')
    const holdsPrompt = lines.some((line) => line.includes(opening) && promptIn(line).includes(opening))
    if (holdsPrompt) return undefined
    // Of a file that holds nothing of a conversation, the CLI itself says so.
    if (begins.length < length)
      return lines.some((line) => recordIn(line)?.message !== undefined)
        ? `The session file ${file} has lost the prompt that it began with`
        : undefined
  }
  return undefined
}

/** Nothing of a file that cannot be read. */
const beginningOf = (file: string, length: number): Buffer => {
  try {
    const descriptor = openSync(file, 'r')
    try {
      return readStretch(descriptor, { offset: 0, length })
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return Buffer.alloc(0)
  }
}

const recordIn = (line: string) => parseRecord(Buffer.from(line))

/** The text of a prompt; empty when the line is another record. */
const promptIn = (line: string): string => {
  const record = recordIn(line)
  const content = record?.type === 'user' ? record.message?.content : undefined
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n')
}

/** Moves the session's file, which is never deleted: the user may want to look why it could not go on. */
export const setAside = async (id: string, cwd: string, env: Env, target: string): Promise<void> => {
  const file = await findSession(id, cwd, env)
  if (file === undefined) return
  await mkdir(dirname(target), { recursive: true })
  await rename(file, target).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error
    await copyFile(file, target)
    await rm(file)
  })
}
