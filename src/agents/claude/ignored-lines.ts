/** Lines that say nothing that yoke acts on, by type or `system/<subtype>`. Their names stand in the program of 2.1.332. */
export const ignoredLines: ReadonlySet<string> = new Set([
  ...['stream_event', 'tool_progress', 'tool_use_summary', 'keep_alive', 'prompt_suggestion', 'auth_status'],
  ...['command_lifecycle', 'active_goal', 'autocompact_state', 'queued_notification'],
  ...[
    'system/status',
    'system/session_state_changed',
    'system/session_metadata',
    'system/session_title_changed',
  ],
  ...['system/thinking', 'system/thinking_tokens', 'system/turn_duration', 'system/per_turn_effort_changed'],
  ...['system/compact_boundary', 'system/microcompact_boundary', 'system/post_turn_summary'],
  ...['system/hook_started', 'system/hook_progress', 'system/hook_response', 'system/stop_hook_summary'],
  ...['system/task_progress', 'system/task_updated', 'system/task_summary', 'system/task_list_statuses'],
  ...['system/background_tasks_changed', 'system/shell_cwd', 'system/local_command_output'],
  ...[
    'system/files_persisted',
    'system/file_snapshot',
    'system/vcs_state_changed',
    'system/code_change_published',
  ],
  ...['system/memory_recall', 'system/memory_saved', 'system/commands_changed', 'system/plugin_install'],
  // What was denied stands in the result.
  ...['system/permission_check_status', 'system/permission_denied', 'system/permission_retry'],
  ...['system/informational', 'system/notification', 'system/instruction_size_warning'],
])
