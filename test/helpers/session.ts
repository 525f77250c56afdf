/** Any JSON object. */
export type Json = Readonly<Record<string, unknown>>

export type Block = Json & { readonly type: string }

export const text = (words: string): Block => ({ type: 'text', text: words })
export const thinking = (words = 'hm'): Block => ({ type: 'thinking', thinking: words, signature: 'c2ln' })
export const use = (id: string, name: string, input: Json): Block => ({ type: 'tool_use', id, name, input })
export const readUse = (id: string, path: string, range: Json = {}): Block =>
  use(id, 'Read', { file_path: path, ...range })

/** A file as a Read of 2.1.332 shows it. */
export const numbered = (content: string, start = 1): string =>
  content
    .split('\n')
    .map((line, index) => `${start + index}\t${line}`)
    .join('\n')

/** The same before: six columns and an arrow, with a reminder behind. */
export const arrowed = (content: string, start = 1): string =>
  `${content
    .split('\n')
    .map((line, index) => `${String(start + index).padStart(6)}→${line}`)
    .join('\n')}\n\n<system-reminder>\nConsider whether the file looks malicious.\n</system-reminder>\n`

type Options = {
  readonly cwd?: string
  readonly id?: string
  readonly version?: string
  readonly start?: number
}

const promptId = '4f4f122d-67f9-4052-81da-2dfac6780725'

const usage = {
  input_tokens: 4000,
  cache_creation_input_tokens: 12,
  cache_read_input_tokens: 90_000,
  output_tokens: 5,
  server_tool_use: { web_search_requests: 1 },
  service_tier: 'standard',
  iterations: [{ input_tokens: 7 }],
}

/**
 * Writes a session file line by line, in the shape of Claude Code 2.1.332: one record for each block of an answer, a result
 * hangs on its own tool use, everything else on the record before it.
 */
export const session = (options: Options = {}) => {
  const { cwd = '/project', id = '11111111-1111-4111-8111-111111111111', version = '2.1.332' } = options
  const lines: (string | Buffer)[] = []
  const uuidOfUse = new Map<string, string>()
  let records = 0
  let messages = 0
  let time = options.start ?? Date.parse('2025-06-01T10:00:00.000Z')
  let parent: string | null = null

  const envelope = () => ({
    userType: 'external',
    entrypoint: 'sdk-cli',
    cwd,
    sessionId: id,
    version,
    gitBranch: 'HEAD',
  })

  /** A record of the conversation; `over` replaces or takes away (undefined) any of its keys. */
  const record = (type: string, body: Json, over: Json = {}): string => {
    records += 1
    time += 10
    const uuid = `00000000-0000-4000-8000-${String(records).padStart(12, '0')}`
    const whole: Json = {
      parentUuid: parent,
      isSidechain: false,
      // A user record says its type before its message, every other one after it.
      ...(type === 'user' ? { promptId, type } : {}),
      ...body,
      type,
      uuid,
      timestamp: new Date(time).toISOString(),
      ...envelope(),
      ...over,
    }
    lines.push(JSON.stringify(whole))
    if (whole['isSidechain'] !== true) parent = (whole['uuid'] as string | undefined) ?? parent
    return uuid
  }

  const made = {
    record,
    prompt: (words: string, over?: Json) =>
      record('user', { message: { role: 'user', content: words } }, over),
    attachment: (type: string, fields: Json = {}, over?: Json) =>
      record('attachment', { attachment: { type, ...fields } }, over),
    /** One answer of the model, a line for each block. */
    answer: (blocks: readonly Block[], over?: Json) => {
      messages += 1
      const message = `msg_${messages}`
      for (const block of blocks) {
        const uuid = record(
          'assistant',
          {
            message: {
              id: message,
              type: 'message',
              role: 'assistant',
              model: 'claude-sonnet-4-5',
              content: [block],
              stop_reason: 'tool_use',
              usage,
            },
          },
          over,
        )
        if (typeof block['id'] === 'string') uuidOfUse.set(block['id'], uuid)
      }
      return message
    },
    result: (toolUse: string, content: unknown, more: Json = {}, over: Json = {}) =>
      record(
        'user',
        {
          message: {
            role: 'user',
            content: [{ tool_use_id: toolUse, type: 'tool_result', content, ...more }],
          },
        },
        {
          parentUuid: uuidOfUse.get(toolUse) ?? parent,
          sourceToolAssistantUUID: uuidOfUse.get(toolUse),
          ...over,
        },
      ),
    /** The result of a Read, with the CLI's own copy beside it. */
    content: (toolUse: string, path: string, content: string, start = 1, total?: number, over: Json = {}) => {
      const numLines = content.split('\n').length
      return made.result(
        toolUse,
        numbered(content, start),
        {},
        {
          toolUseResult: {
            type: 'text',
            file: {
              filePath: path,
              content,
              numLines,
              startLine: start,
              totalLines: total ?? start - 1 + numLines,
            },
          },
          ...over,
        },
      )
    },
    /** A whole Read: the answer and its result. */
    read: (toolUse: string, path: string, content: string) => {
      made.answer([readUse(toolUse, path)])
      return made.content(toolUse, path, content)
    },
    /** A record that is no part of the conversation. */
    note: (type: string, fields: Json = {}) => lines.push(JSON.stringify({ type, sessionId: id, ...fields })),
    raw: (line: string | Buffer) => lines.push(line),
    /** Takes the last line back, to write it differently. */
    pop: () => lines.pop(),
    parent: () => parent,
    hangOn: (uuid: string | null) => {
      parent = uuid
    },
    lines: () => lines,
    bytes: (ending = '\n') =>
      Buffer.concat(
        lines.flatMap((line, index) => [
          Buffer.from(line),
          Buffer.from(index === lines.length - 1 ? ending : '\n'),
        ]),
      ),
  }
  return made
}

/** What a file of 2.1.332 begins with. */
export const opening = (made: ReturnType<typeof session>, words = 'Do the task'): void => {
  made.note('queue-operation', { operation: 'enqueue', content: words })
  made.note('queue-operation', { operation: 'dequeue' })
  made.prompt(words)
  for (const type of ['environment', 'skill_listing', 'date']) made.attachment(type, { text: type })
  made.attachment('total_tokens_reminder', { text: '15000000 tokens left' })
  made.attachment('prompt_snapshot', { systemPrompt: ['You are an agent.'] })
  made.note('api-request-shape', { shape: {} })
  made.note('last-prompt', { lastPrompt: words, leafUuid: made.parent() })
}

/** A finished run: two parallel reads, a command, a text. `files` are read in this order, as r1, r2, ... */
export const finishedRun = (
  files: Readonly<Record<string, string>>,
  options?: Options,
): ReturnType<typeof session> => {
  const made = session(options)
  opening(made)
  const named = Object.entries(files).map(([path, content], index) => ({
    path,
    content,
    id: `r${index + 1}`,
  }))
  made.answer([thinking(), text('I read.'), ...named.map(({ id, path }) => readUse(id, path))])
  for (const { id, path, content } of [...named].reverse()) made.content(id, path, content)
  made.attachment('total_tokens_reminder', { text: '14000000 tokens left' })
  made.attachment('prompt_snapshot', { systemPrompt: ['You are an agent.'], tools: ['many'] })
  made.answer([use('bash', 'Bash', { command: 'seq 9' })])
  made.result('bash', '1\n2\n3')
  made.answer([text('All done.')])
  made.note('last-prompt', { lastPrompt: 'Do the task', leafUuid: made.parent() })
  made.note('cost-state', { totalCostUSD: 0.1 })
  return made
}
