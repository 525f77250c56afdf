import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/events.ts'
import { messageTexts, toolUses } from '../../src/probe/request-view.ts'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { notes, place, read, reply, roles, say, verdict, write } from './project.ts'

const files = { 'task.md': 'WHOLE TASK\n', 'a.txt': 'kept\n' }

/** Each turn reads a file and changes one; the notes of the second ask for what the test wants. */
const scenario = (second: string) => ({
  name: 'forks',
  roles,
  script: {
    worker: [
      [reply(read('a.txt'), write('1', 'x')), reply(notes('KEEP: a.txt\n')), reply(say('WORD 1'))],
      [reply(write('2', 'x')), reply(notes(second)), reply(say('WORD 2'))],
      [reply(write('3', 'x')), reply(notes('KEEP: a.txt\n')), reply(say('WORD 3'))],
    ],
    judge: [
      [reply(verdict('continue', 'OBJECTION 1')), reply(say('no'))],
      [reply(verdict('continue', 'OBJECTION 2')), reply(say('no'))],
      [reply(verdict('done', 'Enough.')), reply(say('yes'))],
    ],
  },
})

const of = <T extends RunEvent['type']>(events: readonly object[], type: T) =>
  events.filter((event): event is RunEvent & { type: T } => 'type' in event && event.type === type)

describe('a fork with the real Claude Code', () => {
  it.each<[string, string, readonly string[], RegExp]>([
    ['RESET: TRUE', 'Found out.\nRESET: TRUE\nKEEP: a.txt\n', [], /RESET/],
    ['context-fork-every', 'Found out.\nKEEP: a.txt\n', ['--context-fork-every', '2'], /context-fork-every/],
    [
      'context-fork-over',
      'Found out.\nKEEP: a.txt\n',
      ['--context-fork-over', '100', '--trim', 'off'],
      /context-fork-over/,
    ],
  ])(
    '%s: a fresh session with the whole task and the notes',
    { timeout: 60_000 },
    async (cause, second, args, reason) => {
      const { project, server, env } = await place({ files, scenario: scenario(second) })
      const run = await yoke(['brute', 'task.md', '--json', ...args], { cwd: project, env })
      expect(run).toMatchObject({ code: 0, stderr: '' })
      const forks = of(eventsOf(run), 'session.forked')
      expect(forks.at(-1)?.reason).toMatch(reason)

      const turns = [0, 1, 2].map((turn) =>
        server.requests.find((each) => each.role === 'worker' && each.turn === turn),
      )
      const sessions = turns.map((each) => each?.headers['x-claude-code-session-id'])
      // More than 100 tokens is what any session holds: that limit is passed after each iteration.
      expect(new Set(sessions).size).toBe(cause === 'context-fork-over' ? 3 : 2)
      expect(sessions[2]).not.toBe(sessions[1])
      const prompt = messageTexts(turns[2] ?? {})
        .map(({ text }) => text)
        .join('\n')
      for (const part of ['WHOLE TASK', 'KEEP:', 'OBJECTION 2']) expect(prompt).toContain(part)
      expect(prompt).not.toContain('OBJECTION 1')
      expect(JSON.stringify(turns[2]?.body)).not.toMatch(/WORD \d/)
      expect(toolUses(turns[2] ?? {})).toEqual([])
    },
  )

  it('takes the RESET line out of the notes and leaves the rest', { timeout: 60_000 }, async () => {
    const { project, env } = await place({
      files,
      scenario: scenario('Found out.\nRESET: TRUE\nKEEP: a.txt\n'),
    })
    const run = await yoke(['brute', 'task.md', '--json', '--max-iterations', '2'], { cwd: project, env })
    expect(run).toMatchObject({ code: 3 })
    expect(readFileSync(join(project, '.loop/notes.md'), 'utf8')).toBe('Found out.\nKEEP: a.txt\n')
  })
})
