import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { atomicWrite } from '../../src/system/atomic-write.ts'

/** How far a release has come; it lies in the release's folder. */
export type Progress = {
  /** Of another commit nothing is of use. */
  readonly commit: string
  /** Where people will find the files; it is in the installers and the notes. */
  readonly url?: string
  /** The steps that are behind it. */
  readonly done: readonly string[]
}

const fileOf = (folder: string) => join(folder, '.done.json')

/** Undefined where no release was begun, and of one whose file cannot be read: it begins anew. */
export const readProgress = async (folder: string): Promise<Progress | undefined> => {
  try {
    return JSON.parse(await readFile(fileOf(folder), 'utf8'))
  } catch {
    return undefined
  }
}

export const writeProgress = (folder: string, progress: Progress): Promise<void> =>
  atomicWrite(fileOf(folder), `${JSON.stringify(progress)}\n`)

/**
 * The steps that need not be taken again, from the first on: those that this commit has behind it, and with another address
 * none from the first one that writes it down.
 */
export const stepsBehind = (
  steps: readonly { readonly name: string; readonly writesUrl?: true }[],
  past: Progress | undefined,
  now: { readonly commit: string; readonly url?: string },
): readonly string[] => {
  if (past === undefined || past.commit !== now.commit) return []
  const next = steps.findIndex(
    ({ name, writesUrl }) => !past.done.includes(name) || (writesUrl === true && past.url !== now.url),
  )
  return steps.slice(0, next === -1 ? steps.length : next).map(({ name }) => name)
}
