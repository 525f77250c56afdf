import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { processStart } from '../system/process-start.ts'

const prefix = 'yoke-rehearsal-'

/** A temporary folder with a home and a project in it, which is gone when the process that made it is. */
export type RehearsalPlace = {
  readonly root: string
  readonly home: string
  readonly project: string
  /** A process group to end with the place. */
  readonly holds: (pid: number) => void
  readonly remove: () => Promise<void>
}

/** Also removes what rehearsals that were killed have left. */
export const rehearsalPlace = async (): Promise<RehearsalPlace> => {
  await sweep()
  const root = await realpath(await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`)))
  const keeper = keep(root)
  const home = join(root, 'home')
  const project = join(root, 'project')
  await Promise.all([mkdir(home), mkdir(project)])
  return {
    root,
    home,
    project,
    holds: (pid) => keeper?.write(`${pid}\n`),
    remove: async () => {
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
      keeper?.end()
    },
  }
}

/**
 * A shell that waits for the end of its input, which comes with the end of this process, however it dies, SIGKILL included: it
 * then ends the process groups that it was told of, and removes the folder.
 */
const keep = (root: string) => {
  if (process.platform === 'win32') return undefined
  const child = spawn('/bin/sh', ['-c', keeperScript, 'sh', root], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Out of the terminal's group: Ctrl-C must not reach it.
    detached: true,
  })
  // Without a shell the next rehearsal sweeps.
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  child.unref()
  return child.stdin
}

// A group is a number below zero: dash takes `-9 --` for two numbers, the kill of BusyBox knows no `--`.
const keeperScript = `
while read -r pid; do pids="$pids -$pid"; done
[ -d "$1" ] || exit 0
for group in $pids; do kill -s KILL -- "$group" || kill -9 "$group"; done
sleep 0.2
rm -rf -- "$1"
`

const sweep = async (): Promise<void> => {
  const names = await readdir(tmpdir()).catch(() => [])
  const stale = names.filter((name) => isOfDeadRehearsal(join(tmpdir(), name)))
  await Promise.all(
    stale.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {})),
  )
}

/** Whether a path lies in the place of a rehearsal whose process is gone. */
export const isOfDeadRehearsal = (path: string): boolean => {
  const name = path.split(sep).find((each) => each.startsWith(prefix))
  const pid = Number.parseInt(name?.slice(prefix.length) ?? '', 10)
  return Number.isInteger(pid) && processStart(pid) === undefined
}
