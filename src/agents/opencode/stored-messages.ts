import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import type { Agent, SessionLoss } from '../agent.ts'
import { lookIntoDatabase } from './database.ts'
import { databaseFile, dataFolder, findSessionFile } from './store.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What the store holds of a session. */
type Stored = {
  readonly messages: number
  /** The texts of the prompt that it begins with; undefined when it begins with none. */
  readonly prompt: string | undefined
}

/** Why a session does not hold any more what it began with: OpenCode goes on with what is left of it, without a word (1.18.33). */
export const lostBeginning: NonNullable<Agent['lostBeginning']> = async (id, _cwd, env, opening) => {
  const stored = await storedMessages(id, env)
  if (stored === undefined || stored.prompt?.includes(opening)) return undefined
  if (stored.messages === 0) return `OpenCode's store has lost all messages of the session ${id}`
  return stored.prompt === undefined
    ? `OpenCode's store has lost the first prompt of the session ${id}`
    : `The session ${id} no longer begins with the prompt that it was begun with`
}

/** A turn that the CLI ended well may have left nothing behind, and another program may have taken the beginning away meanwhile. */
export const watchSession = async (
  id: string,
  _cwd: string,
  env: Env,
): Promise<() => Promise<SessionLoss | undefined>> => {
  const before = await storedMessages(id, env)
  return async () => {
    const after = await storedMessages(id, env)
    if (before === undefined || after === undefined) return undefined
    if (after.prompt !== before.prompt)
      return {
        class: 'stale-session',
        evidence: `The session ${id} has lost its beginning while OpenCode ran: another program deleted or changed it.`,
      }
    return after.messages === before.messages
      ? { class: 'no-transcript', evidence: `OpenCode stored nothing of this turn in the session ${id}.` }
      : undefined
  }
}

/** Whether the store is seen to hold a session. */
export const isStored = async (id: string, env: Env): Promise<boolean> =>
  (await storedMessages(id, env)) !== undefined

/** Undefined where it cannot be told; whether there is such a session at all, OpenCode says itself. */
const storedMessages = async (id: string, env: Env): Promise<Stored | undefined> => {
  try {
    const database = databaseFile(env)
    const isThere = await stat(database).then(
      (found) => found.isFile(),
      () => false,
    )
    return await (isThere ? inDatabase(database, id) : inFiles(id, env))
  } catch {
    // Torn, locked, of another make: the start will show what is wrong.
    return undefined
  }
}

const RowSchema = v.object({ id: v.string(), data: v.string() })
const CountSchema = v.object({ messages: v.number() })
const MessageSchema = v.object({ role: v.string() })
const PartSchema = v.object({ type: v.string(), text: v.optional(v.string()) })

/** Since 1.2.1. */
const inDatabase = (file: string, id: string): Promise<Stored | undefined> =>
  lookIntoDatabase(file, (rows) => {
    if (rows('SELECT 1 FROM session WHERE id = ?', id).length === 0) return undefined
    const [found] = rows(
      'SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id LIMIT 1',
      id,
    )
    if (found === undefined) return { messages: 0, prompt: undefined }
    const first = v.parse(RowSchema, found)
    const parts = rows('SELECT id, data FROM part WHERE message_id = ? ORDER BY id', first.id)
    const [count] = rows('SELECT count(*) AS messages FROM message WHERE session_id = ?', id)
    return {
      ...v.parse(CountSchema, count),
      prompt: promptOf(
        JSON.parse(first.data),
        parts.map((part) => JSON.parse(v.parse(RowSchema, part).data)),
      ),
    }
  })

/** Until 1.1: a file a message, and one a part. */
const inFiles = async (id: string, env: Env): Promise<Stored | undefined> => {
  if ((await findSessionFile(id, env)) === undefined) return undefined
  const storage = join(dataFolder(env), 'storage')
  const read = async (folder: string) => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).sort()
    return {
      names,
      json: async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8')),
    }
  }
  const messages = await read(join(storage, 'message', id))
  const [first] = messages.names
  if (first === undefined) return { messages: 0, prompt: undefined }
  const parts = await read(join(storage, 'part', first.slice(0, -'.json'.length)))
  return {
    messages: messages.names.length,
    prompt: promptOf(await messages.json(first), await Promise.all(parts.names.map(parts.json))),
  }
}

const promptOf = (message: unknown, parts: readonly unknown[]): string | undefined => {
  if (v.parse(MessageSchema, message).role !== 'user') return undefined
  const texts = parts
    .map((part) => v.parse(PartSchema, part))
    .flatMap(({ type, text }) => (type === 'text' && text) || [])
  return texts.length === 0 ? undefined : texts.join('\n')
}
