import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/** Names the processes of one start, also those that have left its group, its session and their parents behind. */
export const treeVariable = 'YOKE_PROCESS_TREE'

/** A process that was started in a group of its own, with `treeVariable` set to `mark` in its environment. */
export type Tree = { readonly root: number; readonly mark: string }

type Process = {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
}

/**
 * Ends every process of the tree: SIGTERM, after `graceMs` SIGKILL. Resolves when none is left, to false if some cannot
 * be killed (they hang in the kernel or belong to another user).
 */
export const endTree = async (tree: Tree, graceMs: number): Promise<boolean> => {
  if (process.platform === 'win32') return endWindowsTree(tree.root)
  const kill = async (signal: 'SIGTERM' | 'SIGKILL', patienceMs: number): Promise<boolean> => {
    const until = Date.now() + patienceMs
    const told = new Set<number>()
    let pauseMs = 10
    for (;;) {
      const members = await membersOf(tree)
      if (members.length === 0) return true
      if (Date.now() > until) return false
      // A child that was born since the last look has not been told.
      for (const pid of members.filter((each) => signal === 'SIGKILL' || !told.has(each))) {
        told.add(pid)
        send(pid, signal)
      }
      await sleep(pauseMs)
      pauseMs = Math.min(pauseMs * 2, 200)
    }
  }
  return (await kill('SIGTERM', graceMs)) || kill('SIGKILL', 5_000)
}

/** The pids that belong to the tree now. A zombie is gone: it only waits for its parent to notice. */
export const membersOf = async ({ root, mark }: Tree): Promise<readonly number[]> => {
  const all =
    process.platform === 'linux' ? processesFromProc() : await processesFromPs().catch(() => undefined)
  // Without `ps` the group is all that can be seen, and it takes signals as a negative pid.
  if (all === undefined) return exists(-root) ? [-root] : []
  const members = new Set(
    all
      .filter(({ pid, group, session }) => pid === root || group === root || session === root)
      .map(({ pid }) => pid),
  )
  if (process.platform === 'linux')
    for (const { pid } of all) if (!members.has(pid) && hasMark(pid, mark)) members.add(pid)
  for (let before = -1; before !== members.size; ) {
    before = members.size
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid)
  }
  members.delete(process.pid)
  return [...members]
}

const processesFromProc = (): readonly Process[] =>
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

const processesFromPs = async (): Promise<readonly Process[]> => {
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

/** Another user's environment cannot be read; nor can another user's process be ended. */
const hasMark = (pid: number, mark: string): boolean =>
  readOrEmpty(`/proc/${pid}/environ`).split('\0').includes(`${treeVariable}=${mark}`)

const readOrEmpty = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const send = (pid: number, signal: 'SIGTERM' | 'SIGKILL'): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended by itself in the meantime.
  }
}

/** Windows knows no gentle signal for a process without a window. */
const endWindowsTree = async (root: number): Promise<boolean> => {
  try {
    await promisify(execFile)('taskkill', ['/PID', String(root), '/T', '/F'])
  } catch {
    // 128: no such process.
  }
  return true
}
