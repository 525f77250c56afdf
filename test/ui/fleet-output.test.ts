import { describe, expect, it } from 'vitest'
import { YokeError } from '../../src/errors.ts'
import type { NewEvent, RunEvent } from '../../src/events.ts'
import { createFleetOutput } from '../../src/ui/fleet-output.ts'
import { iteration, start } from '../helpers/events.ts'
import { begin, runFinished } from '../helpers/run.ts'

const output = (options: { json?: boolean; quiet?: boolean } = {}, terminal = false) => {
  let text = ''
  const stream = {
    isTTY: terminal,
    columns: 40,
    rows: 10,
    write: (part: string) => {
      text += part
    },
  }
  const fleet = createFleetOutput(options, stream, { TERM: 'xterm', NO_COLOR: '1' })
  const tell = (name: string, event: NewEvent) =>
    fleet.onEvent(name, { ...event, run: `run-${name}`, at: new Date(start).toISOString() } as RunEvent)
  return { ...fleet, tell, text: () => text }
}

const made: NewEvent = {
  type: 'commit.made',
  iteration: 1,
  from: 'c0',
  commit: 'c1234567890',
  subject: 'Add it',
  files: 1,
  insertions: 3,
  deletions: 2,
}

const play = ({ tell, onRefusal, onNote, close }: ReturnType<typeof output>) => {
  tell('a', { ...begin, kind: 'brute', task: '/p/a.md', directives: { branch: 'yoke/a' } })
  tell('a', iteration(1))
  tell('a', made)
  onNote('a', 'It stays.')
  onRefusal('b', new YokeError('E_X', 'It is bad.', 'Mend it.'))
  onRefusal('c', new YokeError('E_NOT_BEGUN', 'It was not begun.', 'Later.'))
  tell('a', runFinished('done'))
  close(['a', 'b', 'c'])
}

describe('what people see of several runs', () => {
  it('are lines with the name of the task, and a table of branches at the end', () => {
    const shown = output()
    play(shown)
    const lines = shown.text().split('\n')
    expect(lines).toContain('[a]   commit: c1234567 Add it 1 file, +3 -2')
    expect(lines).toContain('[a] It stays.')
    expect(lines).toContain('[b] It is bad. Mend it. [E_X]')
    expect(lines.filter((line) => /^(task|a|b|c) /.test(line)).map((line) => line.split(/ +/))).toEqual([
      ['task', 'result', 'iterations', 'cost', 'branch', 'commits', 'diff', 'reason'],
      ['a', 'done', '1', '$0.00', 'yoke/a', '1', '+3', '-2'],
      ['b', 'failed', '0', '$0.00', '0', 'It', 'is', 'bad.'],
      ['c', 'not', 'begun', '0', '$0.00', '0', 'It', 'was', 'not', 'begun.'],
    ])
    expect(shown.text()).toContain('git merge yoke/a')
  })

  it('are nothing but the table with --quiet, and nothing but events with --json', () => {
    const quiet = output({ quiet: true })
    play(quiet)
    expect(quiet.text()).not.toContain('[a]')
    expect(quiet.text()).toContain('yoke/a')
    const json = output({ json: true })
    play(json)
    const events = json
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.map(({ type }) => type)).toEqual([
      'run.started',
      'iteration.started',
      'commit.made',
      'run.finished',
    ])
    expect(new Set(events.map(({ run }) => run))).toEqual(new Set(['run-a']))
  })

  it('is on a terminal a block as well, which is gone at the end', () => {
    const live = output({}, true)
    play(live)
    expect(live.text()).toContain('\u001b[?25l')
    expect(live.text().lastIndexOf('\u001b[?25h')).toBeGreaterThan(live.text().lastIndexOf('\u001b[?25l'))
    expect(live.text()).toContain('yoke/a')
  })
})
