"""§9.3 and §9.5: what is known of the format of sessions."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

RECORDS = """
    agent-color agent-name agent-setting ai-title api-request api-request-blob api-request-shape assistant
    atis-latch attachment attribution-snapshot bridge-session content-replacement cost-state custom-title
    file-history-delta file-history-snapshot last-prompt mode permission-mode pr-link progress queue-operation
    relocated speculation-accept summary system tag task-summary tools-used user worktree-state
""".split()
ATTACHMENTS = """
    agent_listing_delta already_read_file async_hook_response at_mention_reference auto_mode
    command_permissions compact_file_reference critical_system_reminder date date_change deferred_tools_delta
    diagnostics edited_text_file environment file hook_additional_context hook_blocking_error hook_cancelled
    hook_error_during_execution hook_non_blocking_error hook_stopped_continuation hook_success
    hook_system_message instructions invoked_skills mcp_instructions_delta mcp_tools_delta model nested_memory
    opened_file_in_ide output_style plan_file_reference plan_mode plan_mode_exit plan_mode_reentry
    prompt_snapshot queued_command relevant_memories remote_session_change selected_lines_in_ide
    session_context silent_turn_reminder skill_listing task_reminder todo_reminder total_tokens_reminder
""".split()
SYSTEM_RECORDS = """
    api_error away_summary bridge_status compact_boundary informational local_command memory_saved
    microcompact_boundary model_refusal_fallback scheduled_task_fire stop_hook_summary turn_duration
""".split()
BLOCKS = """
    assistant/code_execution_tool_result assistant/fallback assistant/mcp_tool_result assistant/mcp_tool_use
    assistant/redacted_thinking assistant/server_tool_use assistant/text assistant/thinking assistant/tool_use
    assistant/web_fetch_tool_result assistant/web_search_tool_result user/document user/image user/text
    user/tool_result
""".split()


class Row(NamedTuple):
    types: list[str]
    optional: bool


# [9.5-1]; `?` marks a key that may be left out.
TABLE = {
    "record": "type: string",
    "user": (
        "uuid: string, parentUuid: string|null, timestamp: string, "
        "isSidechain: boolean, message: object, isMeta?: boolean, isCompactSummary?: boolean"
    ),
    "assistant": (
        "uuid: string, parentUuid: string|null, timestamp: string, "
        "isSidechain: boolean, message: object, isApiErrorMessage?: boolean"
    ),
    "attachment": "uuid: string, parentUuid: string|null, timestamp: string, isSidechain: boolean, attachment: object",
    "system": "uuid: string, parentUuid: string|null, timestamp: string, isSidechain: boolean, subtype: string",
    "user.message": "content: string|array",
    "assistant.message": "id: string, content: string|array, usage: object",
    "user/": "type: string",
    "assistant/": "type: string",
    "assistant/tool_use": "id: string, name: string, input: object",
    "assistant/text": "text: string",
    "user/tool_result": "tool_use_id: string, content?: string|array, is_error?: boolean",
    "Read": "file_path: string",
    "attachment:": "type: string",
    "attachment:file": "filename: string",
}

KEY = re.compile(r'("(?:[^"\\]|\\.)*"|[^\s",:?|]+)(\??): ([a-z|]+)')


def read_keys(text: str) -> dict[str, Row]:
    """§9.3"""
    return {
        json.loads(key) if key.startswith('"') else key: Row(types.split("|"), optional == "?")
        for key, optional, types in KEY.findall(text)
    }


# [9.7-3]
PART = "id: string, messageID: string, sessionID: string, type: string"
MESSAGE = "id: string, sessionID: string, role: string, time: object"
OPENCODE_TABLE = {
    "export": "info: object, messages: array",
    "session": "id: string, directory: string, time: object",
    "message": "info: object, parts: array",
    "user": MESSAGE,
    "assistant": f"{MESSAGE}, parentID: string, tokens: object",
    "assistant.tokens": "input: number, output: number",
    "user/": PART,
    "assistant/": PART,
    "user/text": "text: string",
    "assistant/text": "text: string",
    "assistant/tool": "tool: string, callID: string, state: object",
    "tool:completed": "status: string, input: object, output: string",
    "Read": "filePath: string",
}

Rows = dict  # part -> key -> row

ROWS: Rows = {part: read_keys(text) for part, text in TABLE.items()}
OPENCODE_ROWS: Rows = {part: read_keys(text) for part, text in OPENCODE_TABLE.items()}


def rows_of(part: str, rows: Rows = ROWS) -> dict[str, Row]:
    """[9.5-3]"""
    families = [part] + [family for family in ("user/", "assistant/", "attachment:") if part.startswith(family)]
    if part.startswith("system:"):
        families.append("system")
    return {key: row for family in families for key, row in rows.get(family, {}).items()}


def join(formats: list[dict]) -> dict[str, dict[str, set[str]]]:
    """[9.3-1]: the types of the keys of the parts."""
    known: dict[str, dict[str, set[str]]] = {}
    for one in formats:
        for part, text in one.get("session", {}).items():
            keys = known.setdefault(part, {})
            for key, row in read_keys(text).items():
                keys.setdefault(key, set()).update(row.types)
    return known


NAMES = {
    *RECORDS,
    *(f"attachment:{name}" for name in ATTACHMENTS),
    *(f"system:{name}" for name in SYSTEM_RECORDS),
    *BLOCKS,
    "Read",
}
BEGINNINGS = ("user.message", "assistant.message", "user.toolUseResult", "assistant.toolUseResult")


# [9.7-1], with the objects of the table in §9.7
OPENCODE_NAMES = {
    *"export session message user assistant Read".split(),
    *(f"{role}.{key}" for role in ("user", "assistant") for key in ("time", "tokens")),
    *(f"tool:{status}" for status in ("pending", "running", "completed", "error")),
    *(f"{role}/{kind}" for role in ("user", "assistant") for kind in "text file agent subtask compaction".split()),
    *(f"assistant/{kind}" for kind in "tool reasoning step-start step-finish patch snapshot retry".split()),
}


def is_listed(part: str) -> bool:
    """[9.3-3]"""
    return part in NAMES or part.startswith(BEGINNINGS)
