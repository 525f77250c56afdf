import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { listProcesses, variableOf } from './process-list.ts'

/**
 * Names the trees that a process belongs to, the innermost last: it is inherited by those, too, that leave their group, their
 * session and their parents behind.
 */
const treeVariable = 'YOKE_PROCESS_TREE'

type Env = Readonly<Record<string, string | undefined>>

/** The environment of a process that begins a tree of its own. */
export const withTreeMark = <E extends Env>(env: E): E & { readonly [treeVariable]: string } => ({
  ...env,
  [treeVariable]: [env[treeVariable], randomUUID()].filter(Boolean).join(':'),
})

/**
 * Ends a process and everything that it started: SIGTERM, after `graceMs` SIGKILL. Resolves when none is left; to
 * false if some cannot be ended (they hang in the kernel or belong to another user). The root is a group leader; it may be gone.
 */
export const endProcessTree = async (
  root: number,
  { graceMs = 5_000, env }: { readonly graceMs?: number; readonly env?: Env } = {},
): Promise<boolean> => {
  if (process.platform === 'win32') return endWindowsTree(root)
  const members = memberFinder(root, ownMark(root, env))
  return (await tell('SIGTERM', members, graceMs)) || tell('SIGKILL', members, 5_000)
}

const tell = async (
  signal: 'SIGTERM' | 'SIGKILL',
  members: () => Promise<readonly number[]>,
  patienceMs: number,
): Promise<boolean> => {
  const until = Date.now() + patienceMs
  const told = new Set<number>()
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 200)) {
    const left = await members()
    if (left.length === 0) return true
    if (Date.now() > until) return false
    // A child that was born since the last look has not been told.
    for (const pid of left.filter((each) => !told.has(each))) {
      told.add(pid)
      send(pid, signal)
    }
    await sleep(pauseMs)
  }
}

/** The mark that the root did not inherit from the process around this one: that tree is not to be ended. */
const ownMark = (root: number, env: Env | undefined): string | undefined => {
  const mark = innermost(env?.[treeVariable] ?? variableOf(root, treeVariable))
  return mark === innermost(process.env[treeVariable]) ? undefined : mark
}

const innermost = (marks: string | undefined): string | undefined => marks?.split(':').at(-1)

/**
 * Finds the living members of a tree at each call. A process whose parent ends is given another one, so a member that was seen
 * once stays one.
 */
const memberFinder = (root: number, mark: string | undefined) => {
  const seen = new Set<number>([root])
  return async (): Promise<readonly number[]> => {
    const all = await listProcesses().catch(() => undefined)
    // Without `ps` the group is all that can be seen, and it takes signals as a negative pid.
    if (all === undefined) return exists(-root) ? [-root] : []
    const marked = (pid: number): boolean =>
      mark !== undefined && variableOf(pid, treeVariable)?.split(':').includes(mark) === true
    for (const { pid, group, session } of all)
      if (group === root || session === root || marked(pid)) seen.add(pid)
    for (let before = -1; before !== seen.size; ) {
      before = seen.size
      for (const { pid, parent } of all) if (seen.has(parent)) seen.add(pid)
    }
    seen.delete(process.pid)
    return all.map(({ pid }) => pid).filter((pid) => seen.has(pid))
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
    // No such process, or it ended in the meantime.
  }
  return true
}
