/** A JSON object. */
export type Json = { readonly [key: string]: unknown }

export type TakePart = (part: string, object: Json, path: string) => void

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Hands over the objects of a record that a format describes, each with the name of its part and its path in the record. What a
 * model, a tool or a server of the user's own has made (inputs, results, hooks) has no format and is left out.
 */
export const eachPart = (record: Json, take: TakePart): void => {
  const type = nameOf(record['type'])
  const { message, attachment, toolUseResult } = record
  take(type === 'system' ? `system:${nameOf(record['subtype'])}` : type, record, '')
  if (type === 'attachment' && isJson(attachment)) {
    take(`attachment:${nameOf(attachment['type'])}`, attachment, 'attachment')
    return
  }
  if ((type !== 'user' && type !== 'assistant') || !isJson(message)) return
  take(`${type}.message`, message, 'message')
  if (isJson(message['usage'])) take(`${type}.message.usage`, message['usage'], 'message.usage')
  const { content } = message
  if (Array.isArray(content)) {
    for (const [index, block] of content.entries()) takeBlock(type, block, `message.content[${index}]`, take)
    for (const [index, block] of content.entries()) takeRead(block, `message.content[${index}]`, take)
  }
  if (isJson(toolUseResult) && toolUseResult['type'] === 'text' && isJson(toolUseResult['file']))
    take('user.toolUseResult.file', toolUseResult['file'], 'toolUseResult.file')
}

const takeBlock = (type: string, block: unknown, path: string, take: TakePart): void => {
  if (!isJson(block)) return
  take(`${type}/${nameOf(block['type'])}`, block, path)
}

const takeRead = (block: unknown, path: string, take: TakePart): void => {
  if (!isJson(block)) return
  if (block['type'] === 'tool_use' && block['name'] === 'Read' && isJson(block['input']))
    take('Read', block['input'], `${path}.input`)
}

/** A name from a file is shown to people and used as a key: cut to a sane length. */
const nameOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 60) : '?')

/** The part of an event of the CLI's stream. */
export const eventPart = (event: Json): string => {
  const [type, subtype] = [nameOf(event['type']), event['subtype']]
  return typeof subtype === 'string' ? `${type}:${subtype.slice(0, 60)}` : type
}
