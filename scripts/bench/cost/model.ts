import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as v from 'valibot'
import { refusal } from '../../../src/probe/api-error.ts'
import { blocksOf, type MessagesRequest, MessagesRequestSchema } from '../../../src/probe/messages-request.ts'
import { inputTokens } from '../../../src/probe/prompt-cache.ts'
import { readBody } from '../../../src/probe/read-body.ts'
import { replyMessage } from '../../../src/probe/reply-message.ts'
import { isSideRequest } from '../../../src/probe/roles.ts'
import type { MessageReply, ScriptBlock } from '../../../src/probe/scenario.ts'
import { sendError, sendJson, sendMessage, streamMessage } from '../../../src/probe/send.ts'
import type { Books } from './books.ts'
import { type Job, lines, mark, prose } from './job.ts'

/**
 * A model that does the job, as a real one would: it reads again what it needs and does not find in the request. Keeps all
 * books at once. `project` is where the files are; a request of more tokens than the window is refused, as the provider does.
 */
export const startJobModel = async (job: Job, project: string, books: readonly Books[], window: number) => {
  const worker = jobWorker(job, project)
  let compactions = 0
  let refused = 0
  let begun = false
  let replies = 0
  const server = createServer(async (incoming, response) => {
    const text = await readBody(incoming)
    const exchange = { response, requestId: `req_${replies}`, signal: new AbortController().signal }
    const parsed = v.safeParse(
      MessagesRequestSchema,
      text === undefined ? undefined : JSON.parse(text || '{}'),
    )
    if (!parsed.success) return sendJson(exchange, 200, {})
    const request = parsed.output
    if (incoming.url?.includes('count_tokens'))
      return sendJson(exchange, 200, { input_tokens: inputTokens(request) })
    const works = request.tools.some(({ name }) => name === 'Edit')
    const compacts = isSideRequest(request)
    const size = inputTokens(request)
    if (size > window) {
      refused += 1
      return sendError(exchange, refusal(400, `prompt is too long: ${size} tokens > ${window} maximum`))
    }
    if (compacts) compactions += 1
    // A compaction ahead of the worker's first request belongs to the new iteration: it comes after the pause.
    if ((works || compacts) && worker.isIdle() && !begun) {
      for (const book of books) book.startIteration()
      begun = true
    }
    if (works && !compacts && worker.begins(request)) begun = false
    const blocks: readonly ScriptBlock[] = compacts
      ? [{ text: `<summary>\n${prose(`summary ${compactions}`, 6_000)}\n</summary>` }]
      : works
        ? worker.answer(request)
        : [{ text: 'Understood.' }]
    const reply: MessageReply = { blocks: [...blocks] }
    const output = JSON.stringify(blocks)
    const [usage] = works || compacts ? books.map((book) => book.book(request, output, compacts)) : []
    replies += 1
    const message = replyMessage(reply, request, usage ?? noUsage, `bench/${replies}`)
    await (request.stream ? streamMessage(exchange, message, reply) : sendMessage(exchange, message, reply))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    compactions: () => compactions,
    refused: () => refused,
    rereads: worker.rereads,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const noUsage = {
  input_tokens: 1,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
}

/** The worker's side: a queue of model calls for the iteration that is under way. */
const jobWorker = (job: Job, project: string) => {
  const revisions = new Map(job.files.map(({ name }) => [name, 1]))
  let queue: (readonly ScriptBlock[])[] = []
  let iteration = -1
  let rereads = 0
  let last: readonly ScriptBlock[] = []
  const read = (name: string): ScriptBlock => readAt(join(project, name))
  const current = (name: string) => mark(name, revisions.get(name) ?? 1)

  const edit = (name: string): ScriptBlock => {
    const old_string = current(name)
    revisions.set(name, (revisions.get(name) ?? 1) + 1)
    const body = lines(`edit ${name} ${revisions.get(name)}`, 700)
    return {
      tool: 'Edit',
      input: { file_path: join(project, name), old_string, new_string: `${current(name)}\n${body}` },
    }
  }

  /** Files that the job needs now and the request does not show as they are. */
  const missing = (request: MessagesRequest, names: readonly string[]): readonly string[] => {
    const text = JSON.stringify(request.messages)
    return names.filter((name) => !text.includes(current(name)))
  }

  const recall = (request: MessagesRequest, names: readonly string[]): (readonly ScriptBlock[])[] => {
    const lost = missing(request, names)
    rereads += lost.length
    return chunks(lost, 4).map((group) => group.map(read))
  }

  const plan = (request: MessagesRequest): (readonly ScriptBlock[])[] => {
    const now = job.iterations[iteration % job.iterations.length]
    if (now === undefined) return []
    const kept = job.iterations[iteration - 1]?.keep ?? []
    const runs = now.runs.map(
      (bytes, index): ScriptBlock => ({
        tool: 'Bash',
        input: {
          command: `head -c ${bytes} test-output.txt | tail -c +${1 + index}`,
          description: 'Run the tests',
        },
      }),
    )
    const work: (readonly ScriptBlock[])[] = []
    const edits = [...now.edits]
    for (const group of now.reads) work.push(group.map(read), ...take(runs, 1).map((each) => [each]))
    // Edits are made when their turn comes, from what the file is then.
    for (const name of edits) work.push([lateEdit(name)], ...take(runs, 1).map((each) => [each]))
    work.push(...runs.map((each) => [each]))
    const notes = `Iteration ${iteration + 1}.\n\nKEEP: ${now.keep.join(', ') || 'none'}\n`
    work.push([{ tool: 'Write', input: { file_path: join(project, '.loop/notes.md'), content: notes } }])
    work.push([{ text: prose(`words ${iteration}`, 500) }])
    const thinking = work.map((blocks, index) => {
      const bytes = now.thoughts[index]
      return bytes === undefined
        ? blocks
        : [{ thinking: prose(`thought ${iteration} ${index}`, bytes) }, ...blocks]
    })
    return [...recall(request, kept), ...thinking]
  }

  const lateEdit = (name: string): ScriptBlock => ({ tool: 'Edit', input: { late: name } })

  const isLate = (block: ScriptBlock): block is ScriptBlock & { readonly input: { readonly late: string } } =>
    'tool' in block && 'late' in block.input

  return {
    rereads: () => rereads,
    isIdle: () => queue.length === 0,
    /** Whether the request is the first of an iteration. */
    begins: (request: MessagesRequest): boolean => {
      if (queue.length > 0) return false
      iteration += 1
      queue = plan(request)
      return true
    },
    answer: (request: MessagesRequest): readonly ScriptBlock[] => {
      const refused = refusedFiles(last, request)
      if (refused.length > 0) queue = [refused.map(readAt), last, ...queue]
      const next = queue[0] ?? [{ text: 'Done.' }]
      const lost = missing(
        request,
        next.filter(isLate).map(({ input }) => input.late),
      )
      rereads += lost.length + refused.length
      if (lost.length > 0) last = lost.map(read)
      else {
        queue = queue.slice(1)
        last = next.map((block) => (isLate(block) ? edit(block.input.late) : block))
      }
      return last
    },
  }
}

const readAt = (path: string): ScriptBlock => ({ tool: 'Read', input: { file_path: path } })

/** Files of the last calls that the CLI did not let the model write, for it has not read them in this session. */
const refusedFiles = (calls: readonly ScriptBlock[], { messages }: MessagesRequest): readonly string[] => {
  const answer = messages.findLast(({ role }) => role === 'user')
  const failures = blocksOf(answer?.content ?? '').filter((block) => block['is_error'] === true)
  if (failures.length === 0) return []
  const text = JSON.stringify(failures)
  if (!text.includes('has not been read yet')) throw new Error(`a tool failed: ${text.slice(0, 400)}`)
  return calls.flatMap((block) =>
    'tool' in block && 'file_path' in block.input ? [String(block.input['file_path'])] : [],
  )
}

const take = <T>(from: T[], count: number): readonly T[] => from.splice(0, count)

const chunks = <T>(all: readonly T[], size: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, n * size + size))
