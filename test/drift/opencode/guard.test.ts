import { describe, expect, it } from 'vitest'
import { describeDifference } from '../../../src/drift/drift.ts'
import { standingOf } from '../../../src/drift/format.ts'
import { shippedFormats } from '../../../src/drift/known-formats.ts'
import { innerParts, isKnownPart, partRows } from '../../../src/drift/opencode/dispositions.ts'
import { sessionDrift } from '../../../src/drift/opencode/guard.ts'
import { observe } from '../../../src/drift/opencode/observe.ts'
import { shapesText } from '../../../src/drift/shape.ts'
import { pinned } from '../../../src/probe/pinned-cli.ts'

const ids = (id: string) => ({ id, sessionID: 'ses_1' })
const part = (id: string, more: object) => ({ ...ids(id), messageID: 'msg_1', ...more })

const session = (change: { user?: object; assistant?: object; prompt?: object; answer?: object } = {}) => ({
  info: { id: 'ses_1', directory: '/p', version: '1.18.33', time: { created: 1, updated: 2 } },
  messages: [
    {
      info: { ...ids('msg_1'), role: 'user', time: { created: 1 }, ...change.user },
      parts: [part('prt_1', { type: 'text', text: 'Do it' }), ...(change.prompt ? [change.prompt] : [])],
    },
    {
      info: {
        ...{ ...ids('msg_2'), role: 'assistant', parentID: 'msg_1', time: { created: 2 } },
        tokens: { input: 1, output: 1 },
        ...change.assistant,
      },
      parts: [part('prt_2', { type: 'text', text: 'Done' }), ...(change.answer ? [change.answer] : [])],
    },
  ],
})

const format = {
  verified: ['1.18.33'],
  unverified: { '1.1.0': ['kept: it was lost.'] },
  session: shapesText(observe({ exports: [session()], streams: [], files: [] }).session),
}

const drift = (exported: unknown, strict = false, installed?: string) =>
  sessionDrift(exported, [format], { strict, installed })

describe('the drift of an OpenCode session', () => {
  it('is none where a release writes what it wrote before', () => {
    expect(drift(session())).toEqual({ verdict: 'known', versions: ['1.18.33'], differences: [] })
  })

  it.each([
    [
      'a key',
      session({ user: { mood: 'fine' } }),
      'user.mood',
      'messages[0].info.mood: unknown key user.mood (string)',
    ],
    [
      'a part of an answer',
      session({ answer: part('prt_3', { type: 'hologram' }) }),
      'assistant/hologram',
      '',
    ],
  ])('is additive for %s that is new, which a trim does without', (_, exported, name, words) => {
    const found = drift(exported)
    expect(found.verdict).toBe('additive')
    expect(found.differences.map((each) => each.name)).toEqual([name])
    const [first] = found.differences
    expect(first && describeDifference(first)).toContain(words)
    expect(drift(exported, true).verdict).toBe('breaking')
  })

  it.each([
    [
      'an unknown part of the prompt',
      session({ prompt: part('prt_3', { type: 'hologram' }) }),
      'user/hologram',
    ],
    ['counts of another type', session({ assistant: { tokens: 'many' } }), 'assistant.tokens'],
    ['a key that is gone', session({ assistant: { parentID: undefined } }), 'assistant.parentID'],
    [
      'output of another type',
      session({
        answer: part('prt_3', {
          ...{ type: 'tool', tool: 'read', callID: 'c' },
          state: { status: 'completed', input: { filePath: '/a' }, output: ['x'] },
        }),
      }),
      'tool:completed.output',
    ],
    ['messages that are no list', { ...session(), messages: {} }, 'export.messages'],
  ])('breaks a trim for %s', (_, exported, name) => {
    const found = drift(exported)
    expect(found.verdict).toBe('breaking')
    expect(found.differences[0]?.name).toBe(name)
  })

  it.each([
    ['newer than all that were tried', '1.19.0', 'additive'],
    ['older than all that were tried', '1.0.200', 'additive'],
    ['on which a trim failed', '1.1.0', 'breaking'],
  ])('tells of a release that is %s', (_, version, verdict) => {
    const exported = session()
    expect(drift({ ...exported, info: { ...exported.info, version } }).verdict).toBe(verdict)
  })

  it('tells of the installed release, not of the one that began the session', () => {
    expect(drift(session(), false, '1.18.33').verdict).toBe('known')
    const found = drift(session(), false, '1.1.0')
    expect(found.verdict).toBe('breaking')
    expect(found.differences.map(describeDifference)).toEqual([
      'the installed release: expected a release that resumes a trimmed session, found 1.1.0, which does not: kept: it was lost',
    ])
  })
})

describe('the formats of OpenCode that come with yoke', () => {
  it('say of every part what a trim does with it, and why', async () => {
    const formats = await shippedFormats('opencode')
    expect(formats.length).toBeGreaterThan(0)
    const parts = formats.flatMap((each) => Object.keys(each.session))
    expect(parts.filter((name) => !isKnownPart(name))).toEqual([])
    expect(Object.values(partRows).filter(({ why }) => why.length < 5)).toEqual([])
    expect(innerParts.has('assistant/text')).toBe(false)
  })

  it('hold what was verified by a trim and a resumed run', async () => {
    const formats = await shippedFormats('opencode')
    expect(formats.flatMap(({ verified }) => verified).length).toBeGreaterThanOrEqual(8)
    expect(standingOf(pinned.opencode, formats)).toBe('verified')
    // Both ways in which OpenCode has kept its sessions.
    expect(new Set(formats.flatMap(({ files }) => files.map((file) => file.split('/').at(-1))))).toEqual(
      new Set(['opencode.db', '<id>.json']),
    )
  })
})
