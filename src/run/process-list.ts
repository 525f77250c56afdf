import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'

export type Process = {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** 0 where the system does not say. */
  readonly session: number
}

/** The processes that run now, without zombies: those are gone and only wait for their parents to notice. */
export const listProcesses = (): Promise<readonly Process[]> =>
  process.platform === 'linux' ? Promise.resolve(fromProc()) : fromPs()

/** A variable of a running process, where the system shows it (Linux, and only for one's own processes). */
export const variableOf = (pid: number, name: string): string | undefined =>
  process.platform === 'linux'
    ? readOrEmpty(`/proc/${pid}/environ`)
        .split('\0')
        .find((entry) => entry.startsWith(`${name}=`))
        ?.slice(name.length + 1)
    : undefined

const fromProc = (): readonly Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readOrEmpty(`/proc/${name}/stat`)
      // The second field, the command in brackets, may hold spaces and brackets.
      const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return stat === '' || state === 'Z' || state === 'X'
        ? []
        : [{ pid: Number(name), parent: Number(parent), group: Number(group), session: Number(session) }]
    })

const fromPs = async (): Promise<readonly Process[]> => {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,state='], {
    maxBuffer: 16 * 1024 * 1024,
  })
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/)
    return pid === undefined || pid === '' || state?.startsWith('Z')
      ? []
      : [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0 }]
  })
}

const readOrEmpty = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
