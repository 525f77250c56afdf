import { mkdir, mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** How the project's folder is called in cases. */
const standIn = '/project'

/** A folder in which a case takes place. */
export type Place = {
  readonly folder: string
  readonly project: string
  /** Writes a file, by its path below `folder`. Returns the absolute path. */
  readonly write: (path: string, content: string | Uint8Array, changed?: Date) => Promise<string>
  readonly remove: (path: string) => Promise<void>
  /** Puts the real folder of the project in place of `/project`. */
  readonly enter: (text: string) => string
  /** The other way round. */
  readonly leave: (text: string) => string
}

/** Hands over a temporary folder with an empty project in it, and removes it afterwards. */
export const inPlace = async <T>(body: (place: Place) => Promise<T>): Promise<T> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'yoke-vectors-')))
  const project = join(folder, 'p')
  try {
    await mkdir(project)
    return await body({
      folder,
      project,
      write: async (path, content, changed) => {
        const file = join(folder, path)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, content)
        if (changed !== undefined) await utimes(file, changed, changed)
        return file
      },
      remove: (path) => rm(join(folder, path)),
      enter: (text) => text.replaceAll(standIn, project),
      leave: (text) => text.replaceAll(project, standIn),
    })
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
