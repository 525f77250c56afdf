import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The commit that is checked out; `null` without git or before the first commit. */
export const headCommit = (project: string): Promise<string | null> =>
  run(
    'git',
    ['--no-optional-locks', '-c', 'core.fsmonitor=false', 'rev-parse', '--verify', '--quiet', 'HEAD'],
    {
      cwd: project,
    },
  ).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
