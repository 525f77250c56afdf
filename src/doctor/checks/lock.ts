import { access, constants, stat } from 'node:fs/promises'
import * as v from 'valibot'
import { loopFolder } from '../../run/folder.ts'
import { isAlive, readHolder } from '../../run/lock.ts'
import { check, fail, ok, warn } from '../check.ts'

/** The project's own folder, and who holds it. */
export const lock = check({
  id: 'loop-folder',
  facts: v.strictObject({
    exists: v.boolean(),
    writable: v.boolean(),
    holder: v.nullable(v.strictObject({ pid: v.number(), run: v.string(), alive: v.boolean() })),
  }),
  gather: async ({ project }) => {
    const loop = loopFolder(project)
    const exists = await stat(loop.root).then(
      () => true,
      () => false,
    )
    const writable = await access(exists ? loop.root : project, constants.W_OK).then(
      () => true,
      () => false,
    )
    const holder = await readHolder(loop.lock)
    return [
      {
        exists,
        writable,
        holder: holder === undefined ? null : { pid: holder.pid, run: holder.run, alive: isAlive(holder) },
      },
    ]
  },
  judge: ({ exists, writable, holder }) => {
    if (!writable)
      return fail(
        exists ? '`.loop/` cannot be written to.' : 'The project folder cannot be written to.',
        'Give yourself the right to write there.',
      )
    if (holder === null) return ok(exists ? '`.loop/` can be written to.' : 'There is no `.loop/` yet.')
    if (holder.alive) return ok(`Process ${holder.pid} carries run ${holder.run} on.`)
    return warn(
      `Run ${holder.run} was left by process ${holder.pid}, which is gone.`,
      'Run `yoke resume` to go on with it; the lock is taken over.',
    )
  },
})
