import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import * as v from 'valibot'
import { check, fail, ok, warn } from '../check.ts'

const mega = 1024 * 1024

/** Room for sessions, their backups and logs. */
export const disk = check({
  id: 'disk',
  facts: v.strictObject({ path: v.string(), freeBytes: v.number() }),
  gather: async ({ project, env }) => {
    const paths = [...new Set([project, env['HOME'] ?? '', tmpdir()])].filter((path) => path !== '')
    const found = await Promise.all(
      paths.map((path) =>
        statfs(path).then(
          ({ bavail, bsize, type }) => [{ path, freeBytes: bavail * bsize, type }],
          () => [],
        ),
      ),
    )
    // Folders on one disk are one thing.
    const disks = new Map(found.flat().map((each) => [`${each.type} ${each.freeBytes}`, each]))
    return [...disks.values()].map(({ path, freeBytes }) => ({ path, freeBytes }))
  },
  judge: ({ path, freeBytes }) => {
    const free =
      freeBytes < 10_240 * mega
        ? `${Math.floor(freeBytes / mega)} MB`
        : `${Math.floor(freeBytes / mega / 1024)} GB`
    if (freeBytes < 50 * mega) return fail(`${free} are free at ${path}.`, 'Make room before a run begins.')
    if (freeBytes < 1024 * mega)
      return warn(`${free} are free at ${path}.`, 'Make room: a night of logs and backups takes some.')
    return ok(`${free} are free at ${path}.`)
  },
})
