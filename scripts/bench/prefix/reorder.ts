// An experiment of `bench prefix`, run as a check of its task: puts the kept reads of the trimmed session in another order, those in front
// that have not changed for the longest, of these the ones that have been kept for the longest. The argument names the file of what it remembers.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Block = {
  readonly type: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly input?: { readonly file_path?: string }
  readonly content?: unknown
}

type Line = {
  readonly uuid?: string
  parentUuid?: string | null
  timestamp?: string
  readonly message?: { id?: string; readonly content: string | readonly Block[] }
}

type Seen = { readonly digest: string; readonly changed: number; readonly kept: number }
type Memory = { readonly turn: number; readonly files: Readonly<Record<string, Seen>> }

const [memoryFile = ''] = process.argv.slice(2)
const projects = join(process.env['CLAUDE_CONFIG_DIR'] ?? '', 'projects')
const session = readdirSync(projects, { recursive: true, encoding: 'utf8' })
  .map((name) => join(projects, name))
  .find((name) => name.endsWith('.jsonl'))
if (session === undefined) throw new Error(`no session in ${projects}`)

const lines: Line[] = readFileSync(session, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))
const memory: Memory = existsSync(memoryFile)
  ? JSON.parse(readFileSync(memoryFile, 'utf8'))
  : { turn: 0, files: {} }
const turn = memory.turn + 1

const blockOf = ({ message }: Line, type: string): Block | undefined =>
  Array.isArray(message?.content) ? message.content.find((block: Block) => block.type === type) : undefined

const results = new Map(lines.map((line) => [blockOf(line, 'tool_result')?.tool_use_id, line]))
const files: Record<string, Seen> = {}
const pairs = lines.flatMap((use) => {
  const block = blockOf(use, 'tool_use')
  const result = results.get(block?.id)
  if (block?.id === undefined || result === undefined) return []
  const path = block.input?.file_path ?? ''
  const digest = createHash('sha256')
    .update(JSON.stringify(blockOf(result, 'tool_result')?.content))
    .digest('hex')
  const before = memory.files[path]
  const seen = {
    digest,
    changed: before?.digest === digest ? before.changed : turn,
    kept: before?.kept ?? turn,
  }
  files[path] = seen
  // Lines of one message id are one message to the CLI: each pair becomes a message of its own.
  if (use.message !== undefined) use.message.id = `msg_${block.id}`
  return [{ use, result, ...seen }]
})
pairs.sort((a, b) => a.changed - b.changed || a.kept - b.kept)

const moved = new Set(pairs.flatMap(({ use, result }) => [use, result]))
const first = lines.findIndex((line) => moved.has(line))
const ordered =
  first === -1
    ? lines
    : [
        ...lines.slice(0, first),
        ...pairs.flatMap(({ use, result }) => [use, result]),
        ...lines.slice(first).filter((line) => !moved.has(line)),
      ]

const times = lines.flatMap(({ uuid, timestamp }) => (uuid && timestamp ? [timestamp] : [])).sort()
let parent: string | null = null
for (const line of ordered)
  if (line.uuid !== undefined) {
    line.parentUuid = parent
    line.timestamp = times.shift() ?? line.timestamp ?? ''
    parent = line.uuid
  }
writeFileSync(session, `${ordered.map((line) => JSON.stringify(line)).join('\n')}\n`)
writeFileSync(memoryFile, JSON.stringify({ turn, files } satisfies Memory))
