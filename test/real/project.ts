import { readdirSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { probeEnvironment } from '../../src/probe/environment.ts'
import { parseScenario } from '../../src/probe/scenario.ts'
import { startModelServer } from '../../src/probe/server.ts'
import { readJournal } from '../../src/run/journal.ts'
import { claudePath } from '../helpers/claude.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

type Place = {
  readonly files: Readonly<Record<string, string>>
  readonly scenario: unknown
  /** Of the project's folder. */
  readonly name?: string
  /** What `{{cwd}}` stands for in the scenario, with `{{project}}` in it: the project when it is left out. */
  readonly cwd?: string
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** A project with files, a home, and a model that plays a scenario; `claude` on PATH is the pinned CLI. */
export const place = async ({
  files,
  scenario,
  name: folder = 'project',
  cwd = '{{project}}',
  env = {},
}: Place) => {
  const root = await temporaryFolder()
  const project = join(root, folder)
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, name)), { recursive: true })
    await writeFile(join(project, name), text)
  }
  const home = join(root, 'home')
  await mkdir(home)
  const server = await startModelServer({
    scenario: parseScenario(scenario),
    variables: { cwd: cwd.replace('{{project}}', project) },
  })
  onTestFinished(() => server.close())
  return {
    project,
    home,
    server,
    env: {
      ...probeEnvironment({ url: server.url, home, base: process.env }),
      PATH: `${dirname(claudePath())}:${process.env['PATH']}`,
      CLAUDE_CODE_MAX_RETRIES: '1',
      ...env,
    },
  }
}

/** The roles by what yoke's prompts begin with. */
export const roles = [
  { name: 'judge', match: 'You are the judge of a task' },
  { name: 'worker', match: '\\.loop/notes\\.md' },
]

export const read = (path: string) => ({ tool: 'Read', input: { file_path: `{{cwd}}/${path}` } })
export const edit = (path: string, from: string, to: string) => ({
  tool: 'Edit',
  input: { file_path: `{{cwd}}/${path}`, old_string: from, new_string: to },
})
export const write = (path: string, content: string) => ({
  tool: 'Write',
  input: { file_path: `{{cwd}}/${path}`, content },
})
export const notes = (content: string) => write('.loop/notes.md', content)
export const say = (text: string) => ({ text })
export const think = (thinking: string) => ({ thinking })
export const verdict = (verdict: 'done' | 'continue' | 'blocked', ...reasons: readonly string[]) => ({
  answer: { verdict, reasons, next: '' },
})
/** One reply of the model. */
export const reply = (...blocks: readonly object[]) => ({ blocks })

/** A task of two turns: the worker leaves a file a turn, the judge objects once. */
export const twoTurns = () => {
  const worker = [
    reply(read('a.txt')),
    reply(write('step-{{turn}}', 'x')),
    reply(notes('KEEP: a.txt\n')),
    reply(say('Went on.')),
  ]
  const judge = [
    [reply(verdict('continue', 'One is missing.')), reply(say('no'))],
    [reply(verdict('done', 'Enough.')), reply(say('yes'))],
  ]
  return { files: { 'task.md': 'Leave two files.\n', 'a.txt': 'kept\n' }, worker, judge }
}

/** The folder of the first run of a project. */
export const runOf = (project: string): string => {
  const [run = ''] = readdirSync(join(project, '.loop/runs'))
  return join(project, '.loop/runs', run)
}

export const journalOf = (project: string): readonly RunEvent[] =>
  readJournal(join(runOf(project), 'events.jsonl'))

/** The events of one type. */
export const of = <T extends RunEvent['type']>(events: readonly object[], type: T) =>
  events.filter((event): event is RunEvent & { type: T } => 'type' in event && event.type === type)

/** A task for which each start of the worker leaves one more file; the check wants two; the judge is content. */
export const twoFiles = (delayMs = 0) => ({
  files: {
    'task.md': '---\nchecks: test "$(ls step-* | wc -l)" -ge 2\n---\nLeave two files.\n',
    'a.txt': 'kept\n',
  },
  scenario: {
    name: 'killed at any moment',
    repeat: true,
    roles,
    script: {
      worker: [
        [
          reply(read('a.txt')),
          reply(write('step-{{turn}}', 'x')),
          reply(notes('KEEP: a.txt\n')),
          { ...reply(say('Went on.')), delayMs },
        ],
      ],
      judge: [[reply(verdict('done', 'Enough.')), reply(say('yes'))]],
    },
  },
})
