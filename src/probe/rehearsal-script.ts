import { parseScenario, type Scenario } from './scenario.ts'

/** What a rehearsal says and does. Every marker stands in one place only, so that a request shows what is left of it. */
export const marks = {
  prompt: 'This is the rehearsal of a session.',
  goOn: 'Go on with the rehearsal.',
  after: 'Go on after the trim.',
  side: 'Do the side errand.',
  alpha: 'alpha stands here',
  alphaEdited: 'alpha was edited',
  beta: 'beta stands here',
  thinking: 'pondering-4711',
  said: 'I begin with the two files.',
  command: 'echo command-4712',
  commandOutput: 'command-4712',
  written: 'written-4713',
  last: 'The rehearsal went well.',
  wentOn: 'I went on.',
} as const

export const projectFiles = {
  'alpha.txt': `first line\n${marks.alpha}\nlast line\n`,
  'beta.txt': `${marks.beta}\n`,
} as const

/** A tool that the CLI offers, with the names of its inputs. */
export type Offer = ReadonlyMap<string, ReadonlySet<string>>

export const roles = [
  { name: 'side', match: marks.side },
  { name: 'main', match: marks.prompt.replaceAll('.', '\\.') },
]

const read = (file: string) => ({ tool: 'Read', input: { file_path: `{{cwd}}/${file}` } })
const say = (text: string) => ({ blocks: [{ text }] })
const call = (...blocks: readonly object[]) => ({ blocks })

/** Thinking, parallel Reads, a command, an edit, a text; then a resumed turn that reads once more. */
const firstTurn = [
  call({ thinking: marks.thinking }, { text: marks.said }, read('alpha.txt'), read('beta.txt')),
  call({ tool: 'Bash', input: { command: marks.command, description: 'Say a word' } }),
  call({
    tool: 'Edit',
    input: { file_path: '{{cwd}}/alpha.txt', old_string: marks.alpha, new_string: marks.alphaEdited },
  }),
]

const secondTurn = [call(read('beta.txt')), say(marks.last)]

/** What `yoke doctor --probe` plays. */
export const rehearsalScenario = (): Scenario =>
  parseScenario({
    name: 'rehearsal',
    roles,
    script: { main: [[...firstTurn, say(marks.wentOn)], secondTurn], side: [[say('Nothing to tell.')]] },
  })

/** The same with a subagent, a file written, a failing tool, a large output and a list of things to do, as far as the CLI offers them. */
export const fullScenario = (offer: Offer): Scenario => {
  const some = (name: string, input: Readonly<Record<string, unknown>>) => {
    const inputs = offer.get(name)
    if (inputs === undefined) return []
    const known = Object.entries(input).filter(([key]) => inputs.size === 0 || inputs.has(key))
    return [call({ tool: name, input: Object.fromEntries(known) })]
  }
  const errand = {
    description: 'A side errand',
    prompt: marks.side,
    subagent_type: 'general-purpose',
    run_in_background: false,
  }
  const todo = {
    content: 'Rehearse',
    status: 'in_progress',
    activeForm: 'Rehearsing',
    priority: 'high',
    id: '1',
  }
  const more = [
    ...some('Write', { file_path: '{{cwd}}/written.txt', content: marks.written }),
    ...some('Glob', { pattern: '*.txt' }),
    ...some('Grep', { pattern: 'beta', path: '{{cwd}}' }),
    ...some('TodoWrite', { todos: [todo] }),
    ...some('TaskCreate', { subject: 'Rehearse', description: 'Rehearse it', activeForm: 'Rehearsing' }),
    ...some('Task', errand),
    ...some('Agent', errand),
    call({ tool: 'Read', input: { file_path: '{{cwd}}/missing.txt' } }),
    call({ tool: 'Bash', input: { command: 'seq 1 20000', description: 'Say much' } }),
    call({ tool: 'Bash', input: { command: 'exit 3', description: 'Fail' } }),
  ]
  return parseScenario({
    name: 'rehearsal',
    roles,
    script: {
      main: [[...firstTurn, ...more, say(marks.wentOn)], secondTurn],
      side: [
        [call({ tool: 'Bash', input: { command: 'true', description: 'Nothing' } }), say('Nothing to tell.')],
      ],
    },
    repeat: true,
  })
}

/** Every later turn: the model says one thing. */
export const laterScenario = (): Scenario =>
  parseScenario({
    name: 'rehearsal-later',
    roles,
    script: { main: [[say(marks.wentOn)]], side: [[say('Nothing to tell.')]] },
    repeat: true,
    otherwise: { blocks: [{ text: 'The rehearsal so far: two files were read.' }] },
  })
