import { blocksOf, type ContentBlock, type MessagesRequest } from './messages-request.ts'

export type CanonicalBlock = {
  readonly json: string
  /** Of the block. */
  readonly type: string
  /** Lifetime of the cache breakpoint that stands on this block. */
  readonly breakpoint?: '5m' | '1h'
  /** Index of the message that the block belongs to; tools and system have none. */
  readonly message?: number
}

/** Claude Code's billing header changes with the first message; the provider takes it out before it caches. */
const billingHeader = 'x-anthropic-billing-header'

/**
 * A request as the provider's prompt cache sees it: tools, system, messages, block by block. The keys stay in the order in
 * which they came: the order of a tool's input shows in the prompt. Breakpoints are set apart, they are not part of it.
 */
export const canonicalBlocks = (request: MessagesRequest): readonly CanonicalBlock[] => [
  ...request.tools.map((tool) => canonical('tool', tool)),
  ...blocksOf(request.system)
    .filter((block) => !String(block['text']).startsWith(billingHeader))
    .map((block) => canonical('system', block)),
  ...request.messages.flatMap(({ role, content }, message) =>
    blocksOf(content).map((block) => ({ ...canonical(role, block), message })),
  ),
]

type Cacheable = Pick<ContentBlock, 'cache_control'> & { readonly [key: string]: unknown }

const canonical = (place: string, { cache_control: control, ...block }: Cacheable): CanonicalBlock => ({
  json: JSON.stringify([place, withoutMarks(block)]),
  type: String(block['type']),
  ...(control ? { breakpoint: control.ttl } : {}),
})

/** A breakpoint may also stand on a block within a tool result. */
const withoutMarks = ({ content, ...block }: { readonly [key: string]: unknown }): unknown =>
  Array.isArray(content) && block['type'] === 'tool_result'
    ? { ...block, content: content.map(({ cache_control: _, ...inner }) => inner) }
    : content === undefined
      ? block
      : { ...block, content }
