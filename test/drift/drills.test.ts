import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Format } from '../../src/drift/format.ts'
import { sessionGuard } from '../../src/drift/guard.ts'
import { shippedFormats } from '../../src/drift/known-formats.ts'
import { compareVersions } from '../../src/drift/version.ts'
import { trim } from '../../src/transcript/trim.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

type Json = { [key: string]: unknown }

/** Written by real releases against a model server on loopback; long texts are cut, and what holds the CLI's own words is left out. */
const releases = ['1.0.9', '2.1.200', '2.1.332']
const captured = (release: string): Json[] =>
  readFileSync(join(import.meta.dirname, '..', 'fixtures', 'sessions', `${release}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const formats = await shippedFormats('claude')

type Conditions = { readonly known?: readonly Format[]; readonly strict?: boolean }

/** Trims the session under guard, with `change` made to every record. */
const drill = async (
  release: string,
  change: (record: Json) => void,
  { known = formats, strict = false }: Conditions = {},
) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'alpha.txt'), 'first line\nalpha was edited\nlast line\n')
  await writeFile(join(folder, 'beta.txt'), 'beta stands here\n')
  const records = captured(release)
  for (const record of records) change(record)
  const text = records.map((record) => `${JSON.stringify(record).replaceAll('/project', folder)}\n`).join('')
  const file = join(folder, 'session.jsonl')
  await writeFile(file, text)
  const guard = sessionGuard(known, strict)
  const result = await trim({
    file,
    keep: ['alpha.txt', 'beta.txt'],
    cwd: folder,
    staleReads: 'refresh',
    backup: join(folder, 'session.bak'),
    guard,
  })
  return { result, drift: guard.drift(), isUntouched: (await readFile(file, 'utf8')) === text }
}

const rename = (object: unknown, key: string, name: string): void => {
  if (typeof object !== 'object' || object === null || !(key in object)) return
  const record = object as Json
  record[name] = record[key]
  delete record[key]
}
const messageOf = (record: Json) => record['message'] as Json | undefined
const blocksOf = (record: Json): Json[] => {
  const content = messageOf(record)?.['content']
  return Array.isArray(content) ? content : []
}
const ofType = (type: string, change: (record: Json) => void) => (record: Json) => {
  if (record['type'] === type) change(record)
}

describe.each(releases)('a session of %s', (release) => {
  it('is trimmed as it is', async () => {
    const { result, drift } = await drill(release, () => {})
    expect(result.status).toBe('applied')
    expect(drift).toMatchObject({ verdict: 'known', versions: [release], differences: [] })
  })

  it.each<readonly [string, (record: Json) => void, string]>([
    ['uuid', (record) => rename(record, 'uuid', 'recordId'), 'uuid'],
    ['parentUuid', (record) => rename(record, 'parentUuid', 'parent'), 'parentUuid'],
    ['timestamp', (record) => rename(record, 'timestamp', 'time'), 'timestamp'],
    ['message', ofType('user', (record) => rename(record, 'message', 'payload')), 'message'],
    ['content', (record) => rename(messageOf(record), 'content', 'parts'), 'message.content'],
    ['message.id', ofType('assistant', (record) => rename(messageOf(record), 'id', 'mid')), 'message.id'],
    [
      'tool_use_id',
      (record) => {
        for (const block of blocksOf(record)) rename(block, 'tool_use_id', 'use')
      },
      'message.content[0].tool_use_id',
    ],
    ['type', ofType('assistant', (record) => rename(record, 'type', 'kind')), 'type'],
    ['type of all', (record) => rename(record, 'type', 'kind'), 'type'],
  ])('in which %s has another name is left alone', async (_what, change, path) => {
    const { result, drift, isUntouched } = await drill(release, change)
    expect(result).toMatchObject({ status: 'refused', code: 'drift' })
    expect(isUntouched).toBe(true)
    expect(drift?.verdict).toBe('breaking')
    expect(drift?.differences.filter(({ level }) => level === 'breaking')).toContainEqual(
      expect.objectContaining({ kind: 'renamed', path }),
    )
  })

  it.each<readonly [string, (record: Json) => void, string, string]>([
    ['uuid', ofType('user', (record) => Object.assign(record, { uuid: 7 })), 'uuid', 'number'],
    [
      'content',
      ofType('user', (record) => Object.assign(messageOf(record) ?? {}, { content: { text: 'x' } })),
      'message.content',
      'object',
    ],
    [
      'usage',
      ofType('assistant', (record) => Object.assign(messageOf(record) ?? {}, { usage: 'much' })),
      'message.usage',
      'string',
    ],
    [
      'the input of a tool',
      (record) => {
        for (const block of blocksOf(record)) if (block['type'] === 'tool_use') block['input'] = '{}'
      },
      'message.content[',
      'string',
    ],
  ])('in which %s is of another type is left alone', async (_what, change, path, found) => {
    const { result, drift, isUntouched } = await drill(release, change)
    expect(result).toMatchObject({ status: 'refused', code: 'drift' })
    expect(isUntouched).toBe(true)
    expect(drift?.differences[0]).toMatchObject({ level: 'breaking', kind: 'retyped', found })
    expect(drift?.differences[0]?.path.startsWith(path)).toBe(true)
  })

  it('with an unknown block in its first prompt is left alone; in what goes it is only told', async () => {
    let first = true
    const inPrompt = await drill(
      release,
      ofType('user', (record) => {
        if (!first) return
        first = false
        Object.assign(messageOf(record) ?? {}, { content: [{ type: 'hologram', of: 'a task' }] })
      }),
    )
    expect(inPrompt.result).toMatchObject({ status: 'refused', code: 'drift' })
    expect(inPrompt.drift?.differences[0]).toMatchObject({ kind: 'new-block', name: 'user/hologram' })

    const inCommand = await drill(release, (record) => {
      for (const block of blocksOf(record)) if (block['name'] === 'Bash') block['type'] = 'hologram'
    })
    expect(inCommand.result.status).toBe('applied')
    expect(inCommand.drift?.verdict).toBe('additive')
    expect(inCommand.drift?.differences).toContainEqual(
      expect.objectContaining({ name: 'assistant/hologram', kind: 'new-block' }),
    )
  })

  it('with new types and keys is trimmed, and each name is told once; in strict mode it is left alone', async () => {
    const change = (record: Json) => {
      record['novelty'] = { deep: 1 }
      if (record['type'] === 'summary' || record['type'] === 'queue-operation') record['type'] = 'mode-next'
    }
    const { result, drift } = await drill(release, change)
    expect(result.status).toBe('applied')
    expect(drift?.verdict).toBe('additive')
    const names = drift?.differences.map(({ name }) => name) ?? []
    expect(names).toContain('user.novelty')
    expect(names).toHaveLength(new Set(names).size)
    const strict = await drill(release, change, { strict: true })
    expect(strict.result).toMatchObject({ status: 'refused', code: 'drift' })
    expect(strict.isUntouched).toBe(true)
  })
})

describe('with the formats up to 2.1.310 only', () => {
  const known = formats
    .filter(({ from }) => compareVersions(from, '2.1.310') <= 0)
    .map((format) => ({
      ...format,
      verified: format.verified.filter((version) => compareVersions(version, '2.1.310') <= 0),
    }))

  it('a session of 2.1.332 is trimmed, and what is new is told', async () => {
    const { result, drift } = await drill('2.1.332', () => {}, { known })
    expect(result.status).toBe('applied')
    expect(drift?.verdict).toBe('additive')
    expect(drift?.differences).toContainEqual(
      expect.objectContaining({ kind: 'release', name: 'release 2.1.332', level: 'additive' }),
    )
  })
})

describe('with the formats from 2.1.200 on only', () => {
  const known = formats.filter(({ from }) => compareVersions(from, '2.1.200') >= 0)

  it('a session of 1.0.9 is left alone: nobody knows what such a release makes of a trimmed one', async () => {
    const { result, drift, isUntouched } = await drill('1.0.9', () => {}, { known })
    expect(result).toMatchObject({ status: 'refused', code: 'drift' })
    expect(isUntouched).toBe(true)
    expect(drift?.differences.filter(({ level }) => level === 'breaking')).toEqual([
      expect.objectContaining({ kind: 'release', name: 'release 1.0.9' }),
    ])
  })
})
