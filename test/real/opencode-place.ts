import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AgentEvent, Invocation } from '../../src/agents/agent.ts'
import { agentByName } from '../../src/agents/registry.ts'
import { probeEnvironment } from '../../src/probe/environment.ts'
import type { Reply } from '../../src/probe/scenario.ts'
import { startModelServer } from '../../src/probe/server.ts'
import { type AgentOptions, startAgent } from '../../src/run/agent-process.ts'
import { opencodePath } from '../helpers/opencode.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

export const agent = agentByName('opencode')

export const text = (words: string): Reply => ({ blocks: [{ text: words }] })
export const tool = (name: string, input: Record<string, unknown>): Reply => ({
  blocks: [{ tool: name, input }],
})
export const bash = (command: string): Reply => tool('bash', { command, description: 'x' })
export const read = (path: string, range: Record<string, unknown> = {}) => ({
  tool: 'read',
  input: { filePath: `{{cwd}}/${path}`, ...range },
})
/** Given to the retries of the CLI as well. */
export const error = (status: number, type: string, message: string): Reply => ({
  error: { status, type, message },
  times: 99,
})

type Turn = readonly Reply[]

/** A home and a project with files, and a model that plays a turn for each start, the last one for ever. */
export const place = async (turns: readonly Turn[], files: Readonly<Record<string, string>> = {}) => {
  const home = await temporaryFolder()
  const project = join(home, 'project')
  await mkdir(project)
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(project, name)), { recursive: true })
    await writeFile(join(project, name), content)
  }
  const model = await startModelServer({
    scenario: {
      name: 'agent',
      roles: [{ name: 'agent', tool: 'read' }],
      script: { agent: turns.map((turn) => [...turn]) },
      repeat: true,
      otherwise: text('ok'),
    },
    variables: { cwd: project },
  })
  onTestFinished(model.close)
  // Yoke's own folder need not be the project's, such as in a worktree.
  const env: Record<string, string> = {
    ...probeEnvironment({ url: model.url, home, base: process.env }),
    PWD: home,
  }
  const start = async (
    more: Partial<Invocation> = {},
    limits: Partial<AgentOptions> = {},
    played = agent,
  ) => {
    const events: AgentEvent[] = []
    const run = await startAgent(
      played,
      opencodePath(),
      {
        role: 'worker',
        prompt: 'Do the task',
        cwd: project,
        session: { kind: 'new' },
        access: 'edit',
        model: 'anthropic/claude-sonnet-4-5',
        permissionMode: 'acceptEdits',
        ...more,
      },
      { env, onEvent: (event) => void events.push(event), ...limits },
    )
    return { ...run, events }
  }
  /** The requests of the conversation, without those for a title. */
  const requests = () => model.requests.filter(({ role }) => role === 'agent')
  return { home, project, env, model, requests, start }
}

export const judge: Partial<Invocation> = {
  role: 'judge',
  session: { kind: 'ephemeral' },
  access: 'read-only',
}

export const resume = (id: string): Partial<Invocation> => ({ session: { kind: 'resume', id } })
