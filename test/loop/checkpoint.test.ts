import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../src/events.ts'
import { commitMessage } from '../../src/loop/checkpoint.ts'
import { nextStep } from '../../src/loop/next.ts'
import { commitWordsOf, parseNotes } from '../../src/loop/notes.ts'
import { after, finished, iteration, notes, opened, verdict } from '../helpers/events.ts'

describe('the words for a commit in the notes', () => {
  it.each([
    [
      'COMMIT: Keep digits\n- a.ts: kept\n- b\n\nMore.',
      { subject: 'Keep digits', body: '- a.ts: kept\n- b' },
    ],
    ['**COMMIT:** Bold\r\nbody\r\nKEEP: a', { subject: 'Bold', body: 'body' }],
    ['- COMMIT: `x` in a list', { subject: '`x` in a list', body: '' }],
    ['COMMIT: one\n\nCOMMIT: two', { subject: 'two', body: '' }],
    ['COMMIT:\n- first item\n- second', { subject: 'first item', body: '- second' }],
    ['COMMIT: a\n```\ncode\n```', { subject: 'a', body: '' }],
  ])('%j', (text, words) => {
    expect(commitWordsOf(text)).toEqual(words)
  })

  it.each([
    '',
    'commit: lower case',
    'I COMMIT: prose',
    '```\nCOMMIT: code\n```',
    'COMMIT:',
    'COMMIT:\n\n- far',
  ])('are none in %j', (text) => {
    expect(commitWordsOf(text)).toBeUndefined()
  })

  it('are no entry of KEEP', () => {
    expect(parseNotes('KEEP:\n- a.ts\n- COMMIT: b\n- c.ts').keep).toEqual(['a.ts'])
  })
})

describe('the message of a commit', () => {
  const words = { subject: 'Keep digits', body: '- a' }
  const where = { run: 'r', task: '# Make it *work*\n\nNow.' }
  const trailers = 'Yoke-Run: r\nYoke-Iteration: 3\n'

  it('is what the worker says, and where it is from', () => {
    expect(commitMessage({ iteration: 3, commitWords: words }, where).message).toBe(
      `Keep digits\n\n- a\n\n${trailers}`,
    )
  })

  it('is the title of the task where the worker says nothing, or nothing new', () => {
    for (const given of [{}, { commitWords: words, usedCommitWords: { ...words } }])
      expect(commitMessage({ iteration: 3, ...given }, where).message).toBe(`Make it *work*\n\n${trailers}`)
  })

  it('has a first line of up to 72 characters as it is', () => {
    const subjectOf = (length: number) =>
      commitMessage({ iteration: 3, commitWords: { subject: 'x'.repeat(length), body: '' } }, where).subject
    expect(subjectOf(72)).toBe('x'.repeat(72))
    expect(subjectOf(73)).toBe(`${'x'.repeat(71)}…`)
  })

  it('has one short line first, and no control characters', () => {
    const long = { subject: `${'x'.repeat(70)} y\u001b[31m\u0000\nz`, body: 'a\tb\u0000c\nd' }
    const { subject, message } = commitMessage({ iteration: 3, commitWords: long }, where)
    expect(subject).toBe(`${'x'.repeat(70)} …`)
    expect(message.split('\n\n')).toEqual([subject, `${'x'.repeat(70)} y [31m z`, 'a b c\nd', trailers])
  })
})

describe('an iteration with commits', () => {
  const worked = [
    iteration(1),
    opened('s1'),
    finished('ok', { session: 's1' }),
    notes(['a.ts']),
    { type: 'trim.skipped', reason: '' } as const,
  ]
  const next = (more: Parameters<typeof after>[0], input: Record<string, unknown>) =>
    nextStep(after([...worked, ...more], input), { time: 0, jitter: 0, task: 'Do it.' })
  const made = {
    type: 'commit.made',
    iteration: 1,
    from: 'c0',
    commit: 'c1',
    subject: 's',
    files: 1,
    insertions: 1,
    deletions: 0,
  } as const

  it('commits between checks and judge, and counts passed checks as done without a judge', () => {
    expect(next([], { commit: 'each' })).toEqual({ do: 'commit' })
    expect(next([made], { commit: 'each' })).toEqual({ do: 'run-judge' })
    expect(next([{ type: 'commit.skipped', iteration: 1, reason: '' }], { commit: 'each' })).toEqual({
      do: 'run-judge',
    })
    expect(next([], { commit: 'off' })).toEqual({ do: 'run-judge' })
    const passed = { type: 'check.passed', iteration: 1, command: 'make', durationMs: 1 } as const
    expect(next([passed, made], { commit: 'each', checks: 'make', judge: 'off' })).toMatchObject({
      event: { type: 'judge.verdict', verdict: 'done' },
    })
  })

  it('commits what is done once with `done`, and nothing else', () => {
    expect(next([], { commit: 'done' })).toEqual({ do: 'run-judge' })
    expect(next([verdict('continue')], { commit: 'done' })).toEqual({ do: 'measure-progress' })
    expect(next([verdict('done')], { commit: 'done' })).toEqual({ do: 'commit' })
    expect(next([verdict('done'), made], { commit: 'done' })).toEqual({ do: 'measure-progress' })
  })

  it('commits nothing when a check failed, and takes it back only if told so', () => {
    const failed = {
      type: 'check.failed',
      iteration: 1,
      command: 'make',
      exit: 1,
      output: '',
      durationMs: 1,
    } as const
    const input = { commit: 'each', checks: 'make' }
    expect(next([failed], input)).toEqual({ do: 'measure-progress' })
    expect(next([failed], { ...input, 'on-failure': 'rollback' })).toEqual({ do: 'roll-back' })
  })
})

it('goes on from the commit that a resume has found, or else from the last one that it knows', () => {
  const made: NewEvent = {
    type: 'commit.made',
    iteration: 1,
    from: 'c0',
    commit: 'c1',
    subject: '',
    files: 1,
    insertions: 1,
    deletions: 0,
  }
  const resumed: NewEvent = { type: 'run.resumed', yoke: '', directives: {} }
  expect(after([made, { ...resumed, commit: 'c2' }]).commit).toBe('c2')
  expect(after([made, { ...resumed, commit: null }]).commit).toBeNull()
  expect(after([made, resumed]).commit).toBe('c1')
})
