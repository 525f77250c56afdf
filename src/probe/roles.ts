import { type MessagesRequest, textOf } from './messages-request.ts'
import type { ScriptRole } from './scenario.ts'

/** The name of the first role that fits the request. */
export const recognise = (request: MessagesRequest, roles: readonly ScriptRole[]): string | undefined => {
  const firstUser = request.messages.find(({ role }) => role === 'user')
  const text = `${textOf(request.system)}\n${textOf(firstUser?.content ?? '')}`
  return roles.find(
    ({ match, tool }) =>
      (match === undefined || new RegExp(match, 'mu').test(text)) &&
      (tool === undefined || request.tools.some(({ name }) => name === tool)),
  )?.name
}

/**
 * What a CLI asks for its own ends, in the words of the task, so that it would pass for a role: the summary of a compaction
 * (2.1.332; the second wording is that of older releases), a title (OpenCode, Claude Code 1.0), a topic (Claude Code 1.0).
 */
const sideRequests = [
  /^CRITICAL: Respond with TEXT ONLY/mu,
  /^Your task is to create a detailed summary of (?:the|this) conversation/mu,
  /^You are a title generator/mu,
  /^Analyze if this message indicates a new conversation topic/mu,
  /^Summarize this coding conversation in under 50 characters/mu,
]

export const isSideRequest = (request: MessagesRequest): boolean => {
  const lastUser = request.messages.findLast(({ role }) => role === 'user')
  const text = `${textOf(request.system)}\n${textOf(lastUser?.content ?? '')}`
  return sideRequests.some((mark) => mark.test(text))
}
