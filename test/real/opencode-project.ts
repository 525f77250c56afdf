import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RunEvent } from '../../src/events.ts'
import { opencodePath } from '../helpers/opencode.ts'
import { yoke } from '../helpers/yoke.ts'
import { place } from './project.ts'

/** A model that every OpenCode knows; the server on loopback plays it. */
export const model = 'anthropic/claude-sonnet-4-5'

/** As `place`, with the pinned OpenCode on PATH as well. */
export const openCodeProject = async (where: Parameters<typeof place>[0]) => {
  const at = await place(where)
  const bin = join(at.home, 'bin')
  await mkdir(bin)
  await symlink(opencodePath(), join(bin, 'opencode'))
  const env = { ...at.env, PATH: `${bin}:${dirname(process.execPath)}:${at.env.PATH}` }
  return {
    ...at,
    env,
    yoke: (args: readonly string[]) => yoke(args, { cwd: at.project, env }),
    /** A run, with its events on standard output. */
    run: (args: readonly string[]) => yoke([...args, '--json'], { cwd: at.project, env }),
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

/** The events of one type. */
export const of = <T extends RunEvent['type']>(events: readonly object[], type: T) =>
  events.filter((event): event is RunEvent & { type: T } => 'type' in event && event.type === type)
