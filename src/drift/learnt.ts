import { mkdir, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { atomicWrite } from '../system/atomic-write.ts'
import { fileFormat, readableFormat } from '../system/file-format.ts'
import { userConfigFile } from '../task/load.ts'
import { type DriftAgent, type Format, FormatSchema } from './format.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where formats that were learnt on this machine are kept. */
export const learntFolder = (env: Env, agent: DriftAgent = 'claude'): string =>
  join(dirname(userConfigFile(env)), 'schemas', agent)

/** The formats that were learnt here. One that cannot be read, or that a newer yoke wrote, teaches nothing. */
export const learntFormats = async (env: Env, agent: DriftAgent = 'claude'): Promise<readonly Format[]> => {
  const folder = learntFolder(env, agent)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).sort()
  const formats = await Promise.all(names.map((name) => readFormat(join(folder, name))))
  return formats.filter((format) => format !== undefined)
}

/** Stores a format, in place of an older one of its release; returns the file. Throws E_NEWER_FORMAT for one of a newer yoke. */
export const storeLearnt = async (format: Format, env: Env): Promise<string> => {
  const file = join(learntFolder(env, format.agent), `${format.from}.json`)
  readableFormat(await contentOf(file).catch(() => undefined), file)
  await mkdir(dirname(file), { recursive: true })
  await atomicWrite(file, `${JSON.stringify({ format: fileFormat, ...format }, undefined, 2)}\n`)
  return file
}

const readFormat = async (file: string): Promise<Format | undefined> => {
  try {
    const content = await contentOf(file)
    readableFormat(content, file)
    return v.parse(FormatSchema, content)
  } catch {
    return undefined
  }
}

const contentOf = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'))
