import type { ContentBlock } from './record.ts'

/** What a tool result holds of a file: its text, a picture or document, or nothing (with the reason). */
export type Content = 'text' | 'media' | 'error' | 'unchanged' | 'spilled' | 'empty' | 'unknown'

/** A re-read of a file that has not changed (2.1.86 and later): a pointer to a result that may be gone, anthropics/claude-code#46749. */
const unchangedStub =
  /^(?:<system-reminder>\s*)?(?:File unchanged since last read|Wasted call\b.*file unchanged)/
/** The output was too large and lies in a file of its own (2.1.2 and later). */
const spillPointer = /^\s*<persisted-output>/
const emptyWarning = /^<system-reminder>Warning: the file exists but /

/** Classifies one `tool_result` block; `toolUseResult` is the CLI's own copy beside the message. */
export const contentOf = (block: ContentBlock, toolUseResult: unknown): Content => {
  if (block.is_error) return 'error'
  if (typeof toolUseResult === 'object' && toolUseResult !== null && 'type' in toolUseResult) {
    if (toolUseResult.type === 'file_unchanged') return 'unchanged'
  }
  if (typeof block.content === 'string') return textContent(block.content)
  if (!Array.isArray(block.content)) return 'empty'
  const types = block.content.map(typeOfPart)
  if (types.some((type) => type === 'image' || type === 'document')) return 'media'
  if (types.some((type) => type !== 'text')) return 'unknown'
  return textContent(block.content.map(textOfPart).join('\n'))
}

const textContent = (text: string): Content => {
  if (unchangedStub.test(text)) return 'unchanged'
  if (spillPointer.test(text)) return 'spilled'
  if (text.trim() === '' || emptyWarning.test(text)) return 'empty'
  return 'text'
}

const typeOfPart = (part: unknown): unknown =>
  typeof part === 'object' && part !== null && 'type' in part ? part.type : undefined

const textOfPart = (part: unknown): string =>
  typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
    ? part.text
    : ''
