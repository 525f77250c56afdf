import { readFile, rm } from 'node:fs/promises'
import { type Cli, runCli } from './cli.ts'
import { parseSession, type Session } from './session-schema.ts'
import { findSessionFile } from './store.ts'

/** A stored session as OpenCode exports it. */
export type Exported = {
  readonly text: string
  /** Undefined when it is no JSON. */
  readonly json: unknown
  /** Or what of it yoke cannot read. */
  readonly session: Session | string
}

/** Why there is no export, in a sentence. */
export type NoExport = { readonly code: 'missing' | 'export'; readonly reason: string }

/** Exports a session; `file` is a place for it. */
export const exportSession = async (cli: Cli, id: string, file: string): Promise<Exported | NoExport> => {
  try {
    const failure = await runCli(cli, ['export', id], file)
    if (failure === undefined) return readExport(await readFile(file, 'utf8'))
    return /not found/i.test(failure)
      ? { code: 'missing', reason: await missing(id, cli.env) }
      : { code: 'export', reason: `OpenCode could not export the session: ${failure.replace(/\.$/, '')}.` }
  } finally {
    await rm(file, { force: true })
  }
}

export const readExport = (text: string): Exported => {
  const json = parseJson(text)
  return { text, json, session: parseSession(json) }
}

const missing = async (id: string, env: Cli['env']): Promise<string> => {
  const file = await findSessionFile(id, env)
  return file === undefined
    ? `OpenCode has no session ${id}.`
    : `OpenCode has no session ${id} in its database; it is in ${file}, where releases before 1.2 kept their sessions.`
}

/** Undefined when it is no JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
