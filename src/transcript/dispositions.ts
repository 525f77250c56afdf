/**
 * What a trim does with a record that is no part of the conversation.
 * `drop`: the next request does not depend on it (measured: 2.1.332 sends the same bytes without).
 * `last`: the last one counts, the CLI reads the same ones again at the end of the file.
 * `reference`: it goes when the record that it names goes.
 */
export type Disposition = 'drop' | 'last' | 'reference'

/** What a trim does with a type, and why. */
export type Row<Does extends string = string> = { readonly does: Does; readonly why: string }

const drop = (why: string): Row<'drop'> => ({ does: 'drop', why })
const last = (why: string): Row<'last'> => ({ does: 'last', why })
const title = last('shown in lists of sessions; the newest one counts')

/** Records beside the conversation, by type. */
export const bookkeepingRows: Readonly<Record<string, Row<Disposition>>> = {
  'api-request': drop('what was sent; never read again'),
  'api-request-blob': drop('what was sent; never read again'),
  'api-request-shape': drop('what was sent; never read again, and a quarter of a small file'),
  'atis-latch': drop('the CLI writes it anew with every turn'),
  'attribution-snapshot': drop('counts who wrote which lines; not sent'),
  'content-replacement': drop(
    'says that a pointer is sent in place of a large result: what is kept must be sent itself',
  ),
  'file-history-delta': drop('for going back to earlier states of files; not sent'),
  'file-history-snapshot': drop('for going back to earlier states of files; not sent'),
  'last-prompt': drop(
    'points at the record that decides the branch since 2.1.120; a stale one resumes an old branch (anthropics/claude-code#89820)',
  ),
  'queue-operation': drop('the queue of prompts is empty when the CLI has ended'),
  'speculation-accept': drop('figures about speculation; not sent'),
  'task-summary': drop('shown in lists of tasks; not sent'),
  'tools-used': drop('the CLI writes it anew with every turn'),
  'agent-color': title,
  'agent-name': title,
  'agent-setting': last('which agent the session was started as'),
  'ai-title': title,
  'bridge-session': last('ties the session to a remote one'),
  'cost-state': last('without it the cost of the session starts again at zero (since 2.1.277)'),
  'custom-title': title,
  mode: last('the mode in which the session goes on'),
  'permission-mode': last('the mode in which the session goes on'),
  'pr-link': last('shown in lists of sessions; the newest one counts'),
  relocated: last('where the session was moved to'),
  tag: title,
  'worktree-state': last('the worktree in which the session goes on'),
  summary: {
    does: 'reference',
    why: 'the title of a branch (up to 2.0.14), named by the leaf that it belongs to',
  },
}

const keep = (why: string): Row<'keep'> => ({ does: 'keep', why })
const spent = (why: string): Row<'spent'> => ({ does: 'spent', why })
const prefix = keep('stands before the first answer: it makes the cached prefix')
const delta = keep('deltas only make sense together and in their order')
const reminder = spent('a reminder of its moment')
const hook = keep('what a hook of the user told the model')
const plan = keep('says that the model plans, or no longer does')

/**
 * Attachments, by type; those that no rehearsal makes (hooks, plans, editors) are known from public reports. `spent`: once an answer has followed it only costs. One that repeats an
 * earlier one goes always.
 */
export const attachmentRows: Readonly<Record<string, Row<'keep' | 'spent'>>> = {
  agent_listing_delta: delta,
  already_read_file: spent('the kept files say it better'),
  async_hook_response: hook,
  at_mention_reference: spent('the kept files say it better'),
  auto_mode: keep('says that no person answers'),
  command_permissions: prefix,
  compact_file_reference: spent('the kept files say it better'),
  critical_system_reminder: keep('the user wants it to be said'),
  date: prefix,
  date_change: keep('the present date'),
  deferred_tools_delta: delta,
  diagnostics: spent('errors of an editor, at its moment'),
  edited_text_file: spent('the kept files say it better'),
  environment: prefix,
  file: keep('the content of a file: it stays when a KEEP entry names it'),
  hook_additional_context: hook,
  hook_blocking_error: hook,
  hook_cancelled: hook,
  hook_error_during_execution: hook,
  hook_non_blocking_error: hook,
  hook_stopped_continuation: hook,
  hook_success: hook,
  hook_system_message: hook,
  instructions: prefix,
  invoked_skills: keep('what a skill says holds on'),
  mcp_instructions_delta: delta,
  mcp_tools_delta: delta,
  model: prefix,
  nested_memory: keep('the instructions of a folder'),
  output_style: keep('how the model is to write'),
  plan_file_reference: plan,
  plan_mode: plan,
  plan_mode_exit: plan,
  plan_mode_reentry: plan,
  prompt_snapshot: spent(
    'the first one keeps the prefix over an update of the CLI; a later one only costs 56 KB',
  ),
  queued_command: spent('a prompt that was answered'),
  relevant_memories: keep('what the model was told of earlier sessions'),
  remote_session_change: prefix,
  selected_lines_in_ide: keep('what the user marked in an editor'),
  opened_file_in_ide: keep('what the user has open in an editor'),
  session_context: prefix,
  silent_turn_reminder: reminder,
  skill_listing: prefix,
  task_reminder: reminder,
  todo_reminder: reminder,
  total_tokens_reminder: reminder,
}

const aside: Row<'aside'> = { does: 'aside', why: 'for people to look at, never sent' }

/** System records, by subtype. */
export const systemRows: Readonly<Record<string, Row<'aside' | 'boundary'>>> = {
  api_error: aside,
  away_summary: aside,
  bridge_status: aside,
  compact_boundary: {
    does: 'boundary',
    why: 'the summary behind it stays; linked to it, a CLI would skip a part',
  },
  informational: aside,
  local_command: aside,
  memory_saved: aside,
  microcompact_boundary: aside,
  model_refusal_fallback: aside,
  scheduled_task_fire: aside,
  stop_hook_summary: aside,
  turn_duration: aside,
}

/** Records of the conversation, by type. */
export const chainRows: Readonly<Record<string, Row>> = {
  user: { does: 'select', why: 'the first prompt, the newest summary and the results of kept Reads stay' },
  assistant: { does: 'select', why: 'the Reads of kept files and the last text stay' },
  attachment: { does: 'by type', why: 'see its own row' },
  system: { does: 'by subtype', why: 'see its own row' },
  progress: {
    does: 'drop',
    why: 'progress of tools and hooks, forks the chain (anthropics/claude-code#35024)',
  },
}

const serverTool: Row = { does: 'drop', why: 'ran at the provider; what came of it goes with it' }

/** Blocks of messages, by record and type. */
export const blockRows: Readonly<Record<string, Row>> = {
  'assistant/text': {
    does: 'select',
    why: 'the last one stays: a file that ends otherwise makes the CLI invent an answer',
  },
  'assistant/thinking': {
    does: 'drop',
    why: 'its signature is bound to everything before it: with a part gone the provider refuses it',
  },
  'assistant/redacted_thinking': { does: 'drop', why: 'as thinking' },
  'assistant/tool_use': { does: 'select', why: 'Reads of kept files stay' },
  'assistant/server_tool_use': serverTool,
  'assistant/web_search_tool_result': serverTool,
  'assistant/web_fetch_tool_result': serverTool,
  'assistant/code_execution_tool_result': serverTool,
  'assistant/mcp_tool_use': serverTool,
  'assistant/mcp_tool_result': serverTool,
  'assistant/fallback': { does: 'drop', why: 'says that another model answered' },
  'user/text': { does: 'select', why: 'prompts' },
  'user/image': { does: 'select', why: 'part of a prompt' },
  'user/document': { does: 'select', why: 'part of a prompt' },
  'user/tool_result': { does: 'select', why: 'the content of kept files' },
}

export const bookkeeping: Readonly<Record<string, Disposition>> = Object.fromEntries(
  Object.entries(bookkeepingRows).map(([type, { does }]) => [type, does]),
)

const namesThat = <Does extends string>(
  rows: Readonly<Record<string, Row<Does>>>,
  does: Does,
): ReadonlySet<string> => new Set(Object.keys(rows).filter((type) => rows[type]?.does === does))

/** Attachments that, once an answer has followed, only cost: spent reminders, and what the kept files say better. */
export const spentAttachments = namesThat(attachmentRows, 'spent')

/** Subtypes of `system` records, all but the boundary of a compaction: for people to look at, never sent. */
export const asides = namesThat(systemRows, 'aside')

/** The tools that put a file into the context, with the key of their input that names it. */
export const readTools: Readonly<Record<string, string>> = {
  Read: 'file_path',
  View: 'file_path',
  NotebookRead: 'notebook_path',
}
