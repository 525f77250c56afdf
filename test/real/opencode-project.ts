import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { opencodePath } from '../helpers/opencode.ts'
import { initialise } from '../helpers/repository.ts'
import { yoke } from '../helpers/yoke.ts'
import { place } from './project.ts'

/** A model that every OpenCode knows; the server on loopback plays it. */
export const model = 'anthropic/claude-sonnet-4-5'

/** As `place`, with the pinned OpenCode on PATH as well, and in a repository, where OpenCode stores more of each step. */
export const openCodeProject = async (where: Parameters<typeof place>[0]) => {
  const at = await place(where)
  initialise(at.project)
  const bin = join(at.home, 'bin')
  await mkdir(bin)
  await symlink(opencodePath(), join(bin, 'opencode'))
  const env = { ...at.env, PATH: `${bin}:${dirname(process.execPath)}:${at.env.PATH}`, PWD: at.home }
  return {
    ...at,
    env,
    yoke: (args: readonly string[]) => yoke(args, { cwd: at.project, env }),
    /** The same with JSON on standard output; `onLine` gets each line as it comes, and the process. */
    run: (args: readonly string[], onLine?: (line: string, pid: number) => void) =>
      yoke([...args, '--json'], { cwd: at.project, env, ...(onLine === undefined ? {} : { onLine }) }),
    opencode: (args: readonly string[]) => {
      const where = { cwd: at.project, env: { ...env, PWD: at.project } }
      const started = promisify(execFile)(opencodePath(), [...args], where)
      // It waits for the end of a prompt there.
      started.child.stdin?.end()
      return started
    },
  }
}

// Blocks of a reply, by OpenCode's names of tools.
export const read = (path: string) => ({ tool: 'read', input: { filePath: `{{cwd}}/${path}` } })
export const edit = (path: string, from: string, to: string) => ({
  tool: 'edit',
  input: { filePath: `{{cwd}}/${path}`, oldString: from, newString: to },
})
export const write = (path: string, content: string) => ({
  tool: 'write',
  input: { filePath: `{{cwd}}/${path}`, content },
})
export const notes = (content: string) => write('.loop/notes.md', content)
