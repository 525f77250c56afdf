import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from './temporary.ts'

/** What git prints. */
export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: folder, stdio: 'pipe', encoding: 'utf8' }).trimEnd()

export const put = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** Makes a repository with one commit of a folder; what it commits under is its own. */
export const initialise = (folder: string, files: Readonly<Record<string, string>> = {}): void => {
  git(folder, 'init', '-q', '-b', 'main')
  git(folder, 'config', 'user.name', 'T "est" $(id)')
  git(folder, 'config', 'user.email', 't@example.org')
  git(folder, 'config', 'commit.gpgsign', 'false')
  put(folder, files)
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'first')
}

export const repository = async (files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' }) => {
  const folder = await temporaryFolder()
  initialise(folder, files)
  return folder
}
