import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** The absolute path of the first program with this name on PATH, or undefined. No shell is asked. */
export const findProgram = async (name: string, env: Env): Promise<string | undefined> => {
  for (const folder of folders(env)) {
    for (const extension of extensions(env)) {
      const file = join(folder, `${name}${extension}`)
      if (await isProgram(file)) return file
    }
  }
  return undefined
}

/** A file that may be run. */
export const isProgram = async (file: string): Promise<boolean> => {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

/** A relative entry would mean another program in every project, and a project could bring its own. */
const folders = (env: Env): readonly string[] =>
  (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))

/** A `.cmd` or `.bat` file needs a shell to run it, so it does not count. */
const extensions = (env: Env): readonly string[] =>
  process.platform === 'win32'
    ? (env['PATHEXT'] ?? '.COM;.EXE').split(';').filter((extension) => /^\.(?:com|exe)$/i.test(extension))
    : ['']
