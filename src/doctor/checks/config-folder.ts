import { access, constants, stat } from 'node:fs/promises'
import * as v from 'valibot'
import { configFolder } from '../../agents/claude/session-file.ts'
import { check, fail, ok } from '../check.ts'

/** Whether Claude Code can write its sessions: where it cannot, it stores none and says nothing. */
export const agentFolder = check({
  id: 'agent-folder',
  facts: v.strictObject({ path: v.string(), exists: v.boolean(), writable: v.boolean() }),
  gather: async ({ agents, env }) => {
    if (!agents.some(({ agent, file }) => agent.name === 'claude' && file !== undefined)) return []
    const path = configFolder(env)
    const exists = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    )
    const writable = await access(path, constants.W_OK).then(
      () => true,
      () => false,
    )
    return [{ path, exists, writable }]
  },
  judge: ({ path, exists, writable }) => {
    if (!exists) return ok(`${path} is not there yet; Claude Code makes it.`)
    if (writable) return ok(`${path} can be written to.`)
    return fail(
      `${path} cannot be written to: Claude Code would store no session, without a word.`,
      'Make it writable, or name another folder with CLAUDE_CONFIG_DIR.',
    )
  },
})
