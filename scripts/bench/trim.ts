import { closeSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'zx'
import { type Bench, median, timeOf, yoke } from './measure.ts'

type Shape = { readonly name: string; readonly bytes: number; readonly resultBytes: number }

const shapes: readonly Shape[] = [
  { name: '50 MB, many small lines', bytes: 50e6, resultBytes: 400 },
  { name: '50 MB, few large lines', bytes: 50e6, resultBytes: 400_000 },
  { name: '500 MB, many small lines', bytes: 500e6, resultBytes: 400 },
  { name: '500 MB, few large lines', bytes: 500e6, resultBytes: 400_000 },
  { name: '2 GB, lines of 10 KB', bytes: 2e9, resultBytes: 10_000 },
]

/** A session in the shape of Claude Code 2.1.332: one kept Read, then Bash calls until it is large enough, then the last words. */
const writeSession = (file: string, project: string, { bytes, resultBytes }: Shape): void => {
  const descriptor = openSync(file, 'w')
  const session = '11111111-1111-4111-8111-111111111111'
  let written = 0
  let serial = 0
  let parent: string | null = null
  const line = (type: string, rest: object): void => {
    const uuid = `00000000-0000-4000-8000-${String(serial).padStart(12, '0')}`
    const timestamp = new Date(Date.UTC(2026, 10, 1) + serial).toISOString()
    const base = {
      parentUuid: parent,
      isSidechain: false,
      userType: 'external',
      cwd: project,
      sessionId: session,
      version: '2.1.332',
    }
    written += writeSync(descriptor, `${JSON.stringify({ ...base, type, ...rest, uuid, timestamp })}\n`)
    parent = uuid
    serial += 1
  }
  const use = (id: string, name: string, input: object): void =>
    line('assistant', {
      message: {
        id: `msg_${id}`,
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'tool_use', id, name, input }],
        stop_reason: 'tool_use',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    })
  const result = (id: string, content: string, toolUseResult: object): void =>
    line('user', {
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
      toolUseResult,
    })
  line('user', { message: { role: 'user', content: 'Do the task.' } })
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
  line('assistant', {
    message: {
      id: 'msg_end',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Went on.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  })
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

/** The trim against what only reads the file, by turns, with the file in the page cache. */
export const benchTrim: Bench = async (folder) => {
  const file = join(folder, '11111111-1111-4111-8111-111111111111.jsonl')
  const script = join(folder, 'parse.cjs')
  writeFileSync(script, parseLoop)
  writeFileSync(join(folder, 'a.txt'), 'kept')
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
    for (let round = 0; round < (shape.bytes > 1e9 ? 3 : 5); round++)
      for (const [name, command] of Object.entries(programs)) times.get(name)?.push(await timeOf(...command))
    const base = median(times.get('wc -l') ?? [])
    console.log(`\n${shape.name} (${(statSync(file).size / 1e6).toFixed(0)} MB)`)
    for (const [name, all] of times) {
      const peak = await peakOf(...(programs[name] ?? ['true']))
      console.log(
        `  ${name.padEnd(20)} ${median(all).toFixed(0).padStart(6)} ms  ${(median(all) / base).toFixed(2).padStart(6)} x wc -l  (${Math.min(...all).toFixed(0)} to ${Math.max(...all).toFixed(0)})  ${peak.toFixed(0).padStart(5)} MB`,
      )
    }
    rmSync(file)
  }
}
