import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Files beyond this are not looked at where there is no git: a fingerprint is a hint, and must stay cheap. */
const maxFiles = 20_000
const unwatched = new Set(['.git', '.loop', 'node_modules'])

/**
 * A fingerprint of HEAD, of the working tree and of the notes. Equal before and after an iteration means that it changed
 * nothing; a worker that commits its work has made progress (frankbria/ralph-claude-code#141).
 */
export const progressFingerprint = async (project: string, notes: string): Promise<string> => {
  const hash = createHash('sha256').update(notes)
  for (const part of (await gitState(project)) ?? (await treeState(project))) hash.update(part)
  return hash.digest('hex').slice(0, 16)
}

/** `core.fsmonitor` names a program that git runs: the agent can write that file, and no one has agreed to the program. */
const git = (project: string, args: readonly string[]) =>
  run('git', ['--no-optional-locks', '-c', 'core.fsmonitor=false', ...args], {
    cwd: project,
    maxBuffer: 64 * 1024 * 1024,
  }).then(({ stdout }) => stdout)

const gitState = async (project: string): Promise<readonly string[] | undefined> => {
  try {
    const [head, status] = await Promise.all([
      git(project, ['rev-parse', 'HEAD']).catch(() => 'no commit'),
      git(project, ['status', '--porcelain', '-z', '--untracked-files=all', '--', '.', ':(exclude).loop']),
    ])
    const changed = status.split('\0').filter((entry) => entry.length > 3)
    const stamps = await Promise.all(
      changed.slice(0, maxFiles).map((entry) => stamp(join(project, entry.slice(3)))),
    )
    return [head, status, ...stamps]
  } catch {
    return undefined
  }
}

const treeState = async (project: string): Promise<readonly string[]> => {
  const stamps: string[] = []
  const folders = [project]
  for (let folder = folders.pop(); folder !== undefined && stamps.length < maxFiles; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (unwatched.has(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else stamps.push(path, await stamp(path))
    }
  }
  return stamps
}

const stamp = async (path: string): Promise<string> => {
  const stat = await lstat(path).catch(() => undefined)
  return stat === undefined ? 'gone' : `${stat.size} ${stat.mtimeMs} ${stat.mode}`
}
