/**
 * What a trim does with a record that is no part of the conversation.
 * `drop`: the next request does not depend on it (measured: 2.1.332 sends the same bytes without).
 * `last`: the last one counts, the CLI reads the same ones again at the end of the file.
 * `reference`: it goes when the record that it names goes.
 */
export type Disposition = 'drop' | 'last' | 'reference'

export const bookkeeping: Readonly<Record<string, Disposition>> = {
  'api-request': 'drop',
  'api-request-blob': 'drop',
  'api-request-shape': 'drop',
  'atis-latch': 'drop',
  'attribution-snapshot': 'drop',
  // Says that a pointer is sent in place of a large result: what is kept must be sent itself.
  'content-replacement': 'drop',
  'file-history-delta': 'drop',
  'file-history-snapshot': 'drop',
  // Points at a record that decides the branch (2.1.120 and later); a stale one resumes an old branch: anthropics/claude-code#89820.
  'last-prompt': 'drop',
  'queue-operation': 'drop',
  'speculation-accept': 'drop',
  'task-summary': 'drop',
  'tools-used': 'drop',
  'agent-color': 'last',
  'agent-name': 'last',
  'agent-setting': 'last',
  'ai-title': 'last',
  'bridge-session': 'last',
  'cost-state': 'last',
  'custom-title': 'last',
  mode: 'last',
  'permission-mode': 'last',
  'pr-link': 'last',
  relocated: 'last',
  tag: 'last',
  'worktree-state': 'last',
  summary: 'reference',
}

/** Attachments that, once an answer has followed, only cost: spent reminders, and what the kept files say better. */
export const spentAttachments: ReadonlySet<string> = new Set([
  'already_read_file',
  'at_mention_reference',
  'compact_file_reference',
  'diagnostics',
  'edited_text_file',
  'prompt_snapshot',
  'queued_command',
  'silent_turn_reminder',
  'task_reminder',
  'todo_reminder',
  'total_tokens_reminder',
])

/** Subtypes of `system` records, all but the boundary of a compaction: for people to look at, never sent. */
export const asides: ReadonlySet<string> = new Set([
  'api_error',
  'away_summary',
  'bridge_status',
  'informational',
  'local_command',
  'memory_saved',
  'microcompact_boundary',
  'model_refusal_fallback',
  'scheduled_task_fire',
  'stop_hook_summary',
  'turn_duration',
])

/** The tools that put a file into the context, with the key of their input that names it. */
export const readTools: Readonly<Record<string, string>> = {
  Read: 'file_path',
  View: 'file_path',
  NotebookRead: 'notebook_path',
}
