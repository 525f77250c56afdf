import { randomUUID } from 'node:crypto'
import { closeSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'zx'
import { type Bench, timeOf, yoke } from './measure.ts'

type Shape = { readonly name: string; readonly bytes: number; readonly resultBytes: number }

const shapes: readonly Shape[] = [
  { name: '50 MB, many small lines', bytes: 50e6, resultBytes: 400 },
  { name: '50 MB, few large lines', bytes: 50e6, resultBytes: 400_000 },
  { name: '500 MB, many small lines', bytes: 500e6, resultBytes: 400 },
  { name: '500 MB, few large lines', bytes: 500e6, resultBytes: 400_000 },
  { name: '2 GB, lines of 10 KB', bytes: 2e9, resultBytes: 10_000 },
]

const usage = {
  input_tokens: 0,
  cache_creation_input_tokens: 291,
  cache_read_input_tokens: 22_156,
  output_tokens: 35,
  output_tokens_details: { thinking_tokens: 0 },
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: 'standard',
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 291 },
}

/**
 * A session as Claude Code 2.1.332 writes it, its keys in the same order: one kept Read, then Bash calls until it is large enough,
 * then the last words.
 */
const writeSession = (file: string, project: string, { bytes, resultBytes }: Shape): void => {
  const descriptor = openSync(file, 'w')
  const session = '11111111-1111-4111-8111-111111111111'
  const envelope = {
    userType: 'external',
    entrypoint: 'sdk-cli',
    cwd: project,
    sessionId: session,
    version: '2.1.332',
    gitBranch: 'HEAD',
  }
  let written = 0
  let serial = 0
  let parent: string | null = null
  let held = ''
  const flush = (): void => {
    written += writeSync(descriptor, held)
    held = ''
  }
  const line = (before: object, type: string, after: object): void => {
    const uuid = randomUUID()
    const timestamp = new Date(Date.UTC(2026, 10, 1) + serial).toISOString()
    held += `${JSON.stringify({ parentUuid: parent, isSidechain: false, ...before, type, uuid, timestamp, ...after, ...envelope })}\n`
    if (held.length > 1 << 20) flush()
    parent = uuid
    serial += 1
  }
  const answer = (id: string, block: object): void =>
    line(
      {
        message: {
          model: 'claude-sonnet-4-5',
          id: `msg_${id}`,
          type: 'message',
          role: 'assistant',
          content: [block],
          stop_reason: 'tool_use',
          stop_sequence: null,
          usage,
        },
        requestId: `req_${id}`,
      },
      'assistant',
      {},
    )
  const use = (id: string, name: string, input: object): void =>
    answer(id, { type: 'tool_use', id, name, input })
  // A user record says its type before its message.
  const user = (message: object, after: object): void =>
    line({ promptId: session, type: 'user', message }, 'user', after)
  const result = (id: string, content: string, toolUseResult: object): void =>
    user(
      { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content, is_error: false }] },
      { toolUseResult, sourceToolAssistantUUID: parent },
    )
  user({ role: 'user', content: 'Do the task.' }, {})
  use('toolu_read', 'Read', { file_path: join(project, 'a.txt') })
  result('toolu_read', '1\tkept', {
    type: 'text',
    file: { filePath: join(project, 'a.txt'), content: 'kept', numLines: 1, startLine: 1, totalLines: 1 },
  })
  const output = 'a line of "output"\n'.repeat(Math.ceil(resultBytes / 19))
  while (written < bytes) {
    const id = `toolu_${serial}`
    use(id, 'Bash', { command: 'make' })
    result(id, output, { stdout: output, stderr: '' })
  }
  answer('end', { type: 'text', text: 'Went on.' })
  flush()
  closeSync(descriptor)
}

const parseLoop = `
const { createReadStream } = require('node:fs')
const { createInterface } = require('node:readline')
const main = async () => {
  let n = 0
  for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) n += Object.keys(JSON.parse(line)).length
  console.log(n)
}
main()
`

/** Peak memory in MB of a program, as the system counts it. */
const peakOf = async (file: string, ...args: readonly string[]): Promise<number> => {
  const { stderr } = await $({ quiet: true })`/usr/bin/time -f %M ${file} ${args}`
  return Number(stderr.trim().split('\n').at(-1)) / 1024
}

/** The trim against what only reads the file, by turns, with the file in the page cache; the least of several times counts. */
export const benchTrim: Bench = async (folder, { repeats }) => {
  const file = join(folder, '11111111-1111-4111-8111-111111111111.jsonl')
  const script = join(folder, 'parse.cjs')
  writeFileSync(script, parseLoop)
  writeFileSync(join(folder, 'a.txt'), 'kept')
  const figures: { shape: string; program: string; ms: readonly number[]; ofWc: number; peakMb: number }[] =
    []
  for (const shape of shapes) {
    writeSession(file, folder, shape)
    const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
      'wc -l': ['wc', '-l', file],
      cat: ['cat', file],
      'yoke trim --dry-run': [yoke, 'trim', file, '--keep', 'a.txt', '--dry-run', '--json'],
      ...(shape.bytes > 1e9
        ? {}
        : {
            'JSON.parse in Bun': [process.execPath, script, file],
            'JSON.parse in Node': ['node', script, file],
          }),
    }
    const times = new Map<string, number[]>(Object.keys(programs).map((name) => [name, []]))
    for (let round = 0; round < (repeats ?? (shape.bytes > 1e9 ? 3 : 5)); round++)
      for (const [name, command] of Object.entries(programs))
        times.get(name)?.push(await timeOf({}, ...command))
    const least = (all: readonly number[]) => Math.min(...all)
    const base = least(times.get('wc -l') ?? [])
    console.log(`\n${shape.name} (${(statSync(file).size / 1e6).toFixed(0)} MB)`)
    for (const [name, all] of times) {
      const peak = await peakOf(...(programs[name] ?? ['true']))
      figures.push({ shape: shape.name, program: name, ms: all, ofWc: least(all) / base, peakMb: peak })
      console.log(
        `  ${name.padEnd(20)} ${least(all).toFixed(0).padStart(6)} ms  ${(least(all) / base).toFixed(2).padStart(6)} x wc -l  (up to ${Math.max(...all).toFixed(0)})  ${peak.toFixed(0).padStart(5)} MB`,
      )
    }
    rmSync(file)
  }
  return {
    assumptions: [
      'The programs run by turns on a file in the page cache; the least of the times makes the ratio.',
      'A dry run: what is kept is small, so that writing it would not count.',
    ],
    figures,
  }
}
