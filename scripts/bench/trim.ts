import { randomUUID } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { $ } from 'zx'
import { type Bench, spread, timeOf, yoke } from './measure.ts'

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

type Program = {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** It changes its file: before each time that file is a copy. */
  readonly changes?: string
}

/** The trim against what only reads the file, by turns, with the file in the page cache. */
export const benchTrim: Bench = async (folder, { repeats }) => {
  const name = '11111111-1111-4111-8111-111111111111.jsonl'
  const file = join(folder, name)
  const place = join(folder, 'trimmed')
  const copy = join(place, name)
  const script = join(folder, 'parse.cjs')
  writeFileSync(script, parseLoop)
  writeFileSync(join(folder, 'a.txt'), 'kept')
  const trim = (session: string) =>
    [yoke, 'trim', session, '--keep', join(folder, 'a.txt'), '--json'] as const
  const figures: {
    shape: string
    program: string
    ms: readonly number[]
    ofWc: readonly number[]
    peakMb: number
  }[] = []
  for (const shape of shapes) {
    writeSession(file, folder, shape)
    const programs: readonly Program[] = [
      { name: 'wc -l', command: ['wc', '-l', file] },
      { name: 'cat', command: ['cat', file] },
      { name: 'yoke trim --dry-run', command: [...trim(file), '--dry-run'] },
      { name: 'yoke trim', command: trim(copy), changes: copy },
      ...(shape.bytes > 1e9
        ? []
        : ([
            { name: 'JSON.parse in Bun', command: [process.execPath, script, file] },
            { name: 'JSON.parse in Node', command: ['node', script, file] },
          ] as const)),
    ]
    const prepare = async ({ changes }: Program) => {
      if (changes === undefined) return
      rmSync(place, { recursive: true, force: true })
      mkdirSync(place)
      copyFileSync(file, changes)
      // Else the trim would wait for the copy, too, to reach the disk.
      await $`sync ${changes}`
    }
    const times = programs.map((program) => ({ program, ms: [] as number[] }))
    for (let round = 0; round < (repeats ?? (shape.bytes > 1e9 ? 3 : 5)); round++)
      for (const { program, ms } of times) {
        await prepare(program)
        ms.push(await timeOf({}, ...program.command))
      }
    const [base] = times
    console.log(`\n${shape.name} (${(statSync(file).size / 1e6).toFixed(0)} MB)`)
    for (const { program, ms } of times) {
      await prepare(program)
      const peakMb = await peakOf(...program.command)
      const ofWc = ms.map((each, round) => each / (base?.ms[round] ?? Number.NaN))
      figures.push({ shape: shape.name, program: program.name, ms, ofWc, peakMb })
      console.log(
        `  ${program.name.padEnd(20)} ${spread(ms).padStart(32)}  ${spread(ofWc, 'x wc -l').padStart(28)}  ${peakMb.toFixed(0).padStart(5)} MB`,
      )
    }
    rmSync(file)
  }
  return {
    assumptions: [
      'The programs run by turns on a file in the page cache; each ratio is one of the same round; what they print goes nowhere.',
      'What is kept is small. `yoke trim` changes a copy that was made and has reached the disk before, and leaves a backup of it.',
      'The loops around JSON.parse are left out of 2 GB, where they take minutes.',
    ],
    figures,
  }
}
