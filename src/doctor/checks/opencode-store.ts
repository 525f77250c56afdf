import { stat } from 'node:fs/promises'
import * as v from 'valibot'
import { databaseFile } from '../../agents/opencode/store.ts'
import { check, ok, skip } from '../check.ts'

/** Where OpenCode keeps its sessions. */
export const opencodeStore = check({
  id: 'opencode-store',
  facts: v.strictObject({ path: v.string(), bytes: v.nullable(v.number()) }),
  gather: async ({ agents, env }) => {
    if (!agents.some(({ agent, file }) => agent.name === 'opencode' && file !== undefined)) return []
    const file = databaseFile(env)
    const bytes = await stat(file).then(
      ({ size }) => size,
      () => null,
    )
    return [{ path: file, bytes }]
  },
  judge: ({ path, bytes }) =>
    bytes === null
      ? skip(`${path} is not there yet; OpenCode makes it with its first session.`)
      : ok(`OpenCode keeps its sessions in ${path} (${Math.ceil(bytes / 1024)} kB).`),
})
