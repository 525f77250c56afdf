import { marks, roles } from './rehearsal-script.ts'
import { parseScenario, type Scenario } from './scenario.ts'

const say = (text: string) => ({ blocks: [{ text }] })
const call = (tool: string, input: Readonly<Record<string, unknown>>) => ({ blocks: [{ tool, input }] })
const read = (file: string) => ({ tool: 'read', input: { filePath: `{{cwd}}/${file}` } })
const bash = (command: string) => call('bash', { command, description: 'Say something' })

const firstTurn = [
  {
    blocks: [{ thinking: marks.thinking }, { text: marks.said }, read('alpha.txt'), read('beta.txt')],
  },
  bash(marks.command),
  call('edit', {
    filePath: '{{cwd}}/alpha.txt',
    oldString: marks.alpha,
    newString: marks.alphaEdited,
  }),
]

const more = [
  call('write', { filePath: '{{cwd}}/written.txt', content: marks.written }),
  call('glob', { pattern: '*.txt', path: '{{cwd}}' }),
  call('todowrite', { todos: [{ content: 'Rehearse', status: 'in_progress', priority: 'high', id: '1' }] }),
  call('task', { description: 'A side errand', prompt: marks.side, subagent_type: 'general' }),
  call('read', { filePath: '{{cwd}}/missing.txt' }),
  bash('seq 1 20000'),
  bash('exit 3'),
]

/** What OpenCode does in a rehearsal, by its own names of tools; `full` holds more kinds of tools, for a harvest. */
export const opencodeScenario = (kind: 'short' | 'full'): Scenario =>
  parseScenario({
    name: 'rehearsal',
    roles,
    script: {
      main: [
        [...firstTurn, ...(kind === 'full' ? more : []), say(marks.wentOn)],
        [{ blocks: [read('beta.txt')] }, say(marks.last)],
      ],
      side: [[say('Nothing to tell.')]],
    },
    repeat: true,
  })
