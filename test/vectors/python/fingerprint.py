"""§9: the fingerprint of a session, and how it differs from what is known."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Iterable, Iterator, NamedTuple

from formats import OPENCODE_NAMES, OPENCODE_ROWS, Row, is_listed, join, rows_of

Known = dict  # part -> key -> types


class Record(NamedTuple):
    value: dict
    line: int
    release: str | None


class Part(NamedTuple):
    name: str
    path: str
    value: dict
    line: int
    release: str | None
    is_block: bool
    rows: dict[str, Row]
    is_listed: bool


def utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def cut(text: str, limit: int) -> str:
    return utf16(text)[: 2 * limit].decode("utf-16-be", "surrogatepass")


def type_of(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return names[type(value)]


def name_of(value: Any) -> str:
    """[9.1-4]"""
    return cut(value, 60) if isinstance(value, str) else "?"


def refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def records(session: str) -> Iterator[Record]:
    """[9.1-3], [9.1-5]"""
    release = None
    for number, line in enumerate(session.split("\n"), 1):
        try:
            # As floats, since Python refuses to read very long integers.
            value = json.loads(line, parse_int=float, parse_constant=refuse)
        except ValueError:
            continue
        if isinstance(value, dict):
            if isinstance(value.get("version"), str):
                release = cut(value["version"], 40)
            yield Record(value, number, release)


def objects(record: dict) -> Iterator[tuple[str, str, Any, bool]]:
    """§9.1: name, path and value of each part, and whether it is a block."""
    kind = record.get("type")
    if not isinstance(kind, str):
        return
    yield f"system:{name_of(record.get('subtype'))}" if kind == "system" else name_of(kind), "", record, False
    attachment = record.get("attachment")
    if kind == "attachment" and isinstance(attachment, dict):
        yield f"attachment:{name_of(attachment.get('type'))}", "attachment", attachment, False
    message = record.get("message")
    if kind not in ("user", "assistant") or not isinstance(message, dict):
        return
    yield f"{kind}.message", "message", message, False
    yield f"{kind}.message.usage", "message.usage", message.get("usage"), False
    content = message.get("content")
    blocks = [
        (block, f"message.content[{at}]")
        for at, block in enumerate(content if isinstance(content, list) else [])
        if isinstance(block, dict)
    ]
    for block, path in blocks:
        yield f"{kind}/{name_of(block.get('type'))}", path, block, True
    for block, path in blocks:
        if block.get("type") == "tool_use" and block.get("name") == "Read":
            yield "Read", f"{path}.input", block.get("input"), False
    result = record.get("toolUseResult")
    if isinstance(result, dict) and result.get("type") == "text":
        yield "user.toolUseResult.file", "toolUseResult.file", result.get("file"), False


def parts(record: Record) -> Iterator[Part]:
    """[9.1-1]"""
    for name, path, value, is_block in objects(record.value):
        if isinstance(value, dict):
            yield Part(name, path, value, record.line, record.release, is_block, rows_of(name), is_listed(name))


def opencode_records(session: str) -> list[Record]:
    """§9.7: the session itself is record 1, its messages are those from 2 on."""
    exported = json.loads(session, parse_int=float, parse_constant=refuse)
    info = exported.get("info")
    version = info.get("version") if isinstance(info, dict) else None
    release = cut(version, 40) if isinstance(version, str) else ""
    messages = exported.get("messages")
    found = [exported, *(messages if isinstance(messages, list) else [])]
    return [Record(value, line, release) for line, value in enumerate(found, 1)]


def opencode_objects(message: dict, at: str) -> Iterator[tuple[str, str, Any, bool]]:
    """§9.7: the table of the parts."""
    yield "message", at, message, False
    info, own = message.get("info"), message.get("parts")
    if not isinstance(info, dict):
        return
    role = name_of(info.get("role"))
    yield role, f"{at}.info", info, False
    for key in ("time", "tokens"):
        yield f"{role}.{key}", f"{at}.info.{key}", info.get(key), False
    for place, part in enumerate(own if isinstance(own, list) else []):
        if not isinstance(part, dict):
            continue
        path = f"{at}.parts[{place}]"
        yield f"{role}/{name_of(part.get('type'))}", path, part, True
        state = part.get("state")
        if part.get("type") == "tool" and isinstance(state, dict):
            yield f"tool:{name_of(state.get('status'))}", f"{path}.state", state, False
            if part.get("tool") == "read":
                yield "Read", f"{path}.state.input", state.get("input"), False


def opencode_parts(record: Record) -> Iterator[Part]:
    """[9.7-1]"""
    if record.line == 1:
        found = [("export", "", record.value, False), ("session", "info", record.value.get("info"), False)]
    else:
        is_message = isinstance(record.value, dict)
        found = opencode_objects(record.value, f"messages[{record.line - 2}]") if is_message else []
    for name, path, value, is_block in found:
        if isinstance(value, dict):
            rows = rows_of(name, OPENCODE_ROWS)
            yield Part(name, path, value, record.line, record.release, is_block, rows, name in OPENCODE_NAMES)


def first_prompt(session: list[Record]) -> list[int]:
    """[9.7-2]"""
    prompts = [part.line for record in session for part in opencode_parts(record) if part.name == "user"]
    return prompts[:1]


def without_null(types: set[str]) -> set[str]:
    return types - {"null"} or types


def fingerprint_of(all_parts: Iterable[Part]) -> str:
    """[9.2-1]"""
    seen: dict[str, dict[str, set[str]]] = {}
    for part in all_parts:
        if part.name != "Read":
            keys = seen.setdefault(part.name, {})
            for key, value in part.value.items():
                keys.setdefault(key, set()).add(type_of(value))
    text = ""
    for name in sorted(seen, key=utf16):
        keys = [f"{key}={'|'.join(sorted(without_null(seen[name][key])))}" for key in sorted(seen[name], key=utf16)]
        text += f"{name}: {', '.join(keys)}\n"
    # A lone surrogate has no UTF-8.
    data = utf16(text).decode("utf-16-be", "replace").encode()
    return hashlib.sha256(data).hexdigest()[:16]


def unknown_keys(part: Part, known: Known) -> list[str]:
    """[9.4-3], [9.5-2]"""
    if part.name == "record":
        keys = {key for name in ("user", "assistant", "attachment") for key in known.get(name, {})}
    elif part.name in known and part.name != "Read":
        keys = {*known[part.name], *part.rows}
    else:
        return []
    return [key for key in part.value if key not in keys]


def path_to(part: Part, key: str) -> str:
    """§9.4"""
    return f"{part.path}.{key}" if part.path else key


def key_differences(part: Part, known: Known) -> Iterator[dict]:
    """[9.4-3], [9.4-4], [9.4-5]"""
    rows = part.rows
    formats = {} if part.name == "Read" else known.get(part.name, {})
    unknown = unknown_keys(part, known)
    for key, value in part.value.items():
        found = type_of(value)
        at = {"name": f"{part.name}.{key}", "line": part.line, "path": path_to(part, key), "count": 1}
        if key in rows:
            if found not in rows[key].types and not (rows[key].optional and value is None):
                expected = " or ".join(rows[key].types)
                yield {"level": "breaking", "kind": "retyped", **at, "expected": expected, "found": found}
        elif key in unknown:
            yield {"level": "additive", "kind": "new-key", **at, "expected": "nothing", "found": found}
        elif key in formats and value is not None:
            types = without_null(formats[key])
            if types != {"null"} and found not in types:
                expected = " or ".join(sorted(types))
                yield {"level": "additive", "kind": "retyped", **at, "expected": expected, "found": found}


def part_differences(part: Part, known: Known, stays: list[int]) -> Iterator[dict]:
    """[9.4-2]"""
    if part.name not in known and not part.is_listed:
        kind = "new-block" if part.is_block else "new-type"
        level = "breaking" if part.is_block and part.line in stays else "additive"
        yield {"level": level, "kind": kind, "name": part.name, "line": part.line, "path": part.path, "count": 1}
    yield from key_differences(part, known)


def lacks(part: Part, key: str) -> bool:
    """[9.5-2]: a record whose type is no text has none."""
    return key not in part.value or (part.name == "record" and not isinstance(part.value[key], str))


def absences(all_parts: Iterable[Part], releases: list[str | None], known: Known) -> Iterator[dict]:
    """[9.4-7]"""
    groups: dict[tuple[str | None, str], list[Part]] = {}
    for part in all_parts:
        groups.setdefault((part.release, part.name), []).append(part)
    for (_, name), group in sorted(groups.items(), key=lambda one: releases.index(one[0][0])):
        for key, row in group[0].rows.items():
            lacking = [part for part in group if lacks(part, key)]
            if row.optional or not lacking:
                continue
            others = {other for part in lacking for other in unknown_keys(part, known)}
            if not others and len(lacking) < len(group):
                continue
            yield {
                "level": "breaking",
                "kind": "renamed" if others else "missing",
                "name": f"{name}.{key}",
                "line": lacking[0].line,
                "path": path_to(lacking[0], key),
                "count": len(lacking),
                "expected": key,
                "found": " or ".join(sorted(others, key=utf16)) if others else "nothing",
            }


def numbers(release: str) -> tuple[int, ...]:
    """[9.6-2]"""
    found = [re.match(r"[0-9]+", number) for number in [*release.split("."), "", ""][:3]]
    return tuple(int(number[0]) if number else 0 for number in found)


def release_difference(
    lines: dict[str, int], installed: str | None, formats: list[dict], older: str
) -> Iterator[dict]:
    """[9.6-1], [9.6-2], [9.6-3], [9.7-4]"""
    release = installed if installed is not None else next(reversed(lines), None)
    verified = [version for one in formats for version in one.get("verified", [])]
    unverified = [version for one in formats for version in one.get("unverified", [])]
    if release is None or release in verified:
        return
    order = [numbers(version) for version in verified]
    at = {"name": f"release {release}", "line": lines.get(release, 0), "path": "version", "count": 1}
    if release in unverified:
        yield {"level": "breaking", "kind": "release", **at}
    elif order and numbers(release) < min(order):
        yield {"level": older, "kind": "release", **at}
    elif order and numbers(release) > max(order):
        yield {"level": "additive", "kind": "release", **at}


def merge(differences: Iterable[dict]) -> list[dict]:
    """[9.4-6], [9.4-8]"""
    merged: dict[str, dict] = {}
    for difference in differences:
        first = merged.setdefault(difference["name"], difference)
        if first is difference:
            continue
        first["count"] += difference["count"]
        if difference["kind"] == "new-block":
            if difference["level"] == "breaking" and first["level"] == "additive":
                first.update(level="breaking", line=difference["line"])
        elif difference["line"] < first["line"]:
            first.update(line=difference["line"], path=difference["path"])
    return list(merged.values())


def fingerprint(case: dict) -> dict:
    """§9.6"""
    formats = json.loads(case["formats"])
    known = join(formats)
    is_opencode = case.get("agent") == "opencode"
    session = opencode_records(case["session"]) if is_opencode else list(records(case["session"]))
    stays = first_prompt(session) if is_opencode else case.get("stays", [])
    parts_of = opencode_parts if is_opencode else parts
    releases = list(dict.fromkeys(record.release for record in session))
    lines: dict[str, int] = {}
    for record in session:
        if record.release is not None:
            lines.setdefault(record.release, record.line)
    all_parts = [part for record in session for part in parts_of(record)]
    linked = [
        Part("record", "", *record, False, rows_of("record"), True)  # [9.5-2]
        for record in session
        if not is_opencode and "uuid" in record.value
    ]
    differences = merge(
        [
            *(found for part in all_parts for found in part_differences(part, known, stays)),
            *absences([*linked, *all_parts], releases, known),
            *release_difference(lines, case.get("installed"), formats, "additive" if is_opencode else "breaking"),
        ]
    )
    if case.get("drift") == "strict":
        for difference in differences:
            difference["level"] = "breaking"
    differences.sort(key=lambda one: (one["level"] != "breaking", one["line"], utf16(one["name"])))
    verdict = differences[0]["level"] if differences else "known"
    return {
        "fingerprint": fingerprint_of(all_parts),
        "versions": list(lines),
        "verdict": verdict,
        "differences": differences,
    }
