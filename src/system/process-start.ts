import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { errnoOf } from './errno.ts'

/**
 * When the process with this pid started, in the system's own notation: with the pid it names one process for good, since
 * pids are reused. Undefined when no such process runs, empty where the system does not say.
 */
export const processStart = (pid: number): string | undefined => {
  if (!runs(pid)) return undefined
  if (process.platform === 'linux') return startFromProc(pid)
  if (process.platform === 'win32') return ''
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C' },
    }).trim()
  } catch {
    return ''
  }
}

const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errnoOf(error) === 'EPERM'
  }
}

/** Field 22 of /proc/PID/stat; the second field, the command in brackets, may hold spaces and brackets. A zombie counts as gone. */
const startFromProc = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : (fields[19] ?? '')
  } catch {
    return undefined
  }
}
