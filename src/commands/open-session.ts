import type { NamedSession } from '../agents/named-session.ts'
import { agentOfSession } from '../agents/registry.ts'

/** Opens the session that a command is to work on, of whichever agent it is, and says what is to be known of the choice. */
export const openSession = async (
  named: string,
): Promise<NamedSession & { readonly goOnCommand: (id: string) => string }> => {
  const cwd = process.cwd()
  const { openSession: open, goOnCommand } = await agentOfSession(String(named), cwd)
  const session = await open(String(named), cwd, process.env)
  for (const remark of session.found.remarks) process.stderr.write(`yoke: ${remark}\n`)
  return { ...session, goOnCommand }
}
