import type { MessagesRequest } from './messages-request.ts'

/**
 * The agent's session id: a header of Claude Code since some 2.1 release, before that only within `metadata.user_id` (JSON, or
 * `user_..._session_UUID`). OpenCode sends `x-session-id`.
 */
export const sessionOf = (
  headers: Readonly<Record<string, string>>,
  { metadata }: MessagesRequest,
): string | undefined =>
  headers['x-claude-code-session-id'] ??
  headers['x-session-id'] ??
  /session_(?:id":")?([0-9a-f-]{36})/.exec(metadata?.user_id ?? '')?.[1]

/** A subagent has the session of its parent, and a header of its own (2.1.332). */
export const subagentOf = (headers: Readonly<Record<string, string>>): string | undefined =>
  headers['x-claude-code-agent-id']
