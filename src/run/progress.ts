import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readGit } from './git/git.ts'

/** Files beyond this are not looked at where there is no git: a fingerprint is a hint, and must stay cheap. */
const maxFiles = 20_000
const unwatched = new Set(['.git', '.loop', 'node_modules'])

/** Takes fingerprints; one may be begun while the judge, who changes nothing, is at work. */
export type Fingerprinter = { readonly begin: () => void; readonly take: () => Promise<string> }

export const fingerprinter = (take: () => Promise<string>): Fingerprinter => {
  let begun: Promise<string> | undefined
  return {
    begin: () => {
      begun = take()
      // Who takes it hears of its failure.
      begun.catch(() => undefined)
    },
    take: () => {
      const fingerprint = begun ?? take()
      begun = undefined
      return fingerprint
    },
  }
}

/**
 * A fingerprint of HEAD, of the working tree and of the notes. Equal before and after an iteration means that it changed
 * nothing; a worker that commits its work has made progress (frankbria/ralph-claude-code#141).
 */
export const progressFingerprint = async (project: string, notes: string): Promise<string> => {
  const hash = createHash('sha256').update(notes)
  for (const part of (await gitState(project)) ?? (await treeState(project))) hash.update(part)
  return hash.digest('hex').slice(0, 16)
}

const gitState = async (project: string): Promise<readonly string[] | undefined> => {
  try {
    const [top, status] = await Promise.all([
      readGit(project, ['rev-parse', '--show-cdup']),
      readGit(project, [
        ...['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all'],
        ...['--', '.', ':(exclude).loop'],
      ]),
    ])
    const entries = status.split('\0').filter((entry) => !/^# (?!branch\.oid )/.test(entry))
    // Git names files from the top of the repository, which a project may be a folder of.
    const changed = entries.flatMap(changedPath).map((path) => join(project, top.trimEnd(), path))
    return [...entries, ...(await Promise.all(changed.slice(0, maxFiles).map(stamp)))]
  } catch {
    return undefined
  }
}

/** The path of an entry; headers (`#`) and the old name of a renamed file, which has an entry of its own, have none. */
const changedPath = (entry: string): readonly string[] => {
  const fieldsBefore = { '1': 8, '2': 9, u: 10, '?': 1 }[entry.slice(0, 2).trimEnd()]
  return fieldsBefore === undefined ? [] : [entry.split(' ').slice(fieldsBefore).join(' ')]
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
