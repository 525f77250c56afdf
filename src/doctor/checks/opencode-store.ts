import { constants } from 'node:fs'
import { access, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as v from 'valibot'
import { databaseFile } from '../../agents/opencode/store.ts'
import { cutOffTrims } from '../../run/cut-off-trims.ts'
import { check, fail, ok, skip, warn } from '../check.ts'

/** Where OpenCode keeps its sessions. */
export const opencodeStore = check({
  id: 'opencode-store',
  facts: v.strictObject({
    path: v.string(),
    bytes: v.nullable(v.number()),
    /** What its head says that it should have; null when the file is no database. */
    wanted: v.exactOptional(v.nullable(v.number())),
    writable: v.exactOptional(v.boolean()),
    /** Sessions in it that trims of this project's runs have left when yoke was killed. */
    left: v.exactOptional(v.array(v.strictObject({ run: v.string(), session: v.string() }))),
  }),
  gather: async ({ agents, env, project }) => {
    if (!agents.some(({ agent, file }) => agent.name === 'opencode' && file !== undefined)) return []
    const path = databaseFile(env)
    const sizes = await sizesOf(path).catch(() => undefined)
    if (sizes === undefined) return [{ path, bytes: null }]
    const mayWrite = (file: string) => access(file, constants.W_OK)
    // It writes to files beside the database, too.
    const writable = await Promise.all([mayWrite(path), mayWrite(dirname(path))]).then(
      () => true,
      () => false,
    )
    return [{ path, ...sizes, writable, left: [...(await cutOffTrims(project, env))] }]
  },
  judge: ({ path, bytes, wanted = bytes, writable = true, left = [] }) => {
    if (bytes === null) return skip(`${path} is not there yet; OpenCode makes it with its first session.`)
    const kiloBytes = (count: number) => `${Math.ceil(count / 1024)} kB`
    // OpenCode makes its tables anew in a file without a byte.
    if (bytes > 0 && (wanted === null || wanted > bytes))
      return fail(
        wanted === null
          ? `${path} is no database: OpenCode cannot read its sessions.`
          : `${path} is cut off after ${kiloBytes(bytes)} of ${kiloBytes(wanted)}: OpenCode cannot read its sessions.`,
        'Restore the file from a backup, or move it aside: OpenCode begins a new one.',
      )
    if (!writable)
      return fail(
        `You may not write to ${path}: OpenCode cannot store a session.`,
        `Give it to yourself: sudo chown -R "$USER" "${dirname(path)}"`,
      )
    const [first] = left
    if (first !== undefined)
      return warn(
        `Trims that were killed have left ${left.length === 1 ? 'a session' : `${left.length} sessions`} in OpenCode's store that no run goes on with: ${left.map(({ session }) => session).join(', ')}.`,
        `Go on with the run, whose next trim takes it away (\`yoke resume ${first.run}\`), or: opencode session delete ${first.session}`,
      )
    return ok(`OpenCode keeps its sessions in ${path} (${kiloBytes(bytes)}).`)
  },
})

/** The size of the file, and the one that the head of an SQLite database names: pages in the log beside it are not counted in either. */
const sizesOf = async (path: string): Promise<{ readonly bytes: number; readonly wanted: number | null }> => {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const head = Buffer.alloc(32)
    await file.read(head, 0, head.length, 0)
    if (head.toString('latin1', 0, 16) !== 'SQLite format 3\0') return { bytes: size, wanted: null }
    const pageSize = head.readUInt16BE(16)
    return { bytes: size, wanted: (pageSize === 1 ? 65_536 : pageSize) * head.readUInt32BE(28) }
  } finally {
    await file.close()
  }
}
