import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { atomicWrite } from '../system/atomic-write.ts'
import { fileFormat, readableFormat } from '../system/file-format.ts'
import { namesIn } from '../system/names-in.ts'
import type { RunFolder } from './folder.ts'

/** What a person tells a run from outside: a file each in the run's inbox, until it is in the events. */
const MessageSchema = v.variant('type', [
  v.object({ type: v.literal('say'), text: v.string() }),
  /** The task file as it is now, by the word of a person. */
  v.object({ type: v.literal('task'), prompt: v.string() }),
  v.object({ type: v.picklist(['pause', 'continue', 'stop']) }),
])

export type Message = v.InferOutput<typeof MessageSchema>

/** A file of the inbox; without a message it cannot be read, and `problem` says why. */
export type Letter = { readonly name: string } & (
  | { readonly message: Message }
  | { readonly problem: string }
)

/** Puts a message into the inbox of a run, whole or not at all; messages are heard in the order in which they were put. */
export const putMessage = async ({ inbox }: RunFolder, message: Message, now: Date): Promise<void> => {
  await mkdir(inbox, { recursive: true })
  const name = `${now.toISOString().replace(/[:.]/g, '-')}-${randomUUID().slice(0, 8)}.json`
  await atomicWrite(join(inbox, name), `${JSON.stringify({ format: fileFormat, ...message })}\n`)
}

/** The messages that wait in the inbox, the oldest first. */
export const readInbox = ({ inbox }: RunFolder): readonly Letter[] => {
  const waiting = namesIn(inbox).filter((name) => name.endsWith('.json'))
  return waiting.sort().map((name) => readLetter(inbox, name))
}

/** Takes a message out that is in the events. */
export const removeMessage = ({ inbox }: RunFolder, name: string): Promise<void> =>
  rm(join(inbox, name), { force: true })

const readLetter = (inbox: string, name: string): Letter => {
  try {
    const value: unknown = JSON.parse(readFileSync(join(inbox, name), 'utf8'))
    readableFormat(value, name)
    return { name, message: v.parse(MessageSchema, value) }
  } catch (error) {
    return { name, problem: error instanceof Error ? error.message : String(error) }
  }
}
