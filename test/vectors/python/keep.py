"""§4.1: what the worker's notes ask for."""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple

MARK = "\ufeff"

# §1.2 and [4.1-6], without the line feed.
WHITE = r"\x00-\x09\x0b-\x20\x7f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
BLANK = re.compile(rf"[{WHITE}]*")
ENTRY_END = re.compile(rf"[{WHITE},]")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")

LIST_MARKER = rf"(?:[-*+]|[0-9]{{1,9}}[.)])(?=[{WHITE}]|$)"
HEADING = rf"\#{{1,6}}(?=[{WHITE}]|$)"
CHECK_BOX = rf"\[[ xX]\](?=[{WHITE}])"
ITEM = re.compile(rf"[{WHITE}>]*{LIST_MARKER}[{WHITE}]*(?:{CHECK_BOX})?(.*)", re.DOTALL)

FENCE = re.compile(rf"(?:[{WHITE}>]|{LIST_MARKER})*(`{{3,}}(?=[^`]*$)|~{{3,}})")
CLOSING_FENCE = re.compile(rf"[{WHITE}>]*(`{{3,}}|~{{3,}})[{WHITE}]*")

# Emphasis is closed before the colon, behind it or at the end of the line.
DIRECTIVE = re.compile(
    rf"(?:[{WHITE}>]|{LIST_MARKER}|{HEADING})*(?:{CHECK_BOX}[{WHITE}]*)?(\*+|_+|~+|`+|)(KEEP|RESET|COMMIT)"
    rf"(?:\1[{WHITE}]*:(.*)|[{WHITE}]*:\1(.*)|[{WHITE}]*:(.*)\1[{WHITE}]*)",
    re.DOTALL,
)
AROUND_TRUE = "[\"'“”‘’`*_]*"
TRUE = re.compile(rf"[{WHITE}]*{AROUND_TRUE}true{AROUND_TRUE}(?!\w)", re.IGNORECASE)

QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’"}
DOTS_AND_SLASHES = re.compile(r"[./]+")
LINE_NUMBER = re.compile(r"(?::[0-9]+(?:-[0-9]+)?){1,2}\Z")
DASH_OR_ARROW = re.compile(rf"(?:[-–—]+>?|=>|→)(?=[{WHITE}]|$)")
BEHIND_PARENTHESES = re.compile(rf"[.;:]+|(?=[{WHITE},]|$)")


class Entry(NamedTuple):
    text: str
    quoted: bool
    # Whether it is the first, or stands behind a comma.
    leads: bool


def unfenced(text: str) -> Iterator[tuple[str, str | None]]:
    """[4.1-1]: each line with its end, and without; None for one of fenced code."""
    fence = None
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        content = re.sub(r"\r?\n\Z", "", line)
        if fence is None:
            opening = FENCE.match(content)
            fence = opening and opening[1]
            yield line, None if fence else content
        else:
            closing = CLOSING_FENCE.fullmatch(content)
            if closing and closing[1].startswith(fence):
                fence = None
            yield line, None


def directive(line: str | None) -> tuple[str, str] | None:
    """[4.1-2]: its name and its value."""
    found = DIRECTIVE.fullmatch(line) if line is not None else None
    return (found[2], found[found.lastindex]) if found else None


def pairs(line: str, opening: str, closing: str, white: bool = True) -> dict[int, int]:
    """Where what opens is closed. All at once, since a search from each place takes too long [4.1-14]."""
    found = {}
    open_at = []
    for at, character in enumerate(line):
        if character == opening:
            open_at.append(at)
        elif character == closing and open_at:
            found[open_at.pop()] = at
        elif not white and BLANK.fullmatch(character):
            open_at = []
    return found


def without_brackets(value: str) -> str:
    """[4.1-8]"""
    start = BLANK.match(value).end()
    end = pairs(value, "[", "]").get(start)
    if end is None:
        return value
    inner, behind = value[start + 1 : end], value[end + 1 :]
    alone = BLANK.fullmatch(behind)
    is_list = ENTRY_END.search(inner) and BLANK.match(behind).end() > 0
    return inner + behind if alone or is_list else value


def without_line_number(text: str) -> str:
    """[4.1-9]"""
    return LINE_NUMBER.sub("", text.rstrip(".;:"))


def entries(value: str) -> Iterator[Entry]:
    """[4.1-6], [4.1-7], [4.1-9], [4.1-11]"""
    line = without_brackets(value)
    braces = pairs(line, "{", "}", white=False)
    parentheses = pairs(line, "(", ")")
    last = {mark: line.rfind(mark) for mark in [*QUOTES.values(), "-->"]}
    any_before = False
    leads = True

    def remark_end(at: int) -> int | None:
        if line[at] == "#":
            return len(line)
        if line.startswith("<!--", at):
            return line.find("-->", at + 4) + 3 if last["-->"] >= at + 4 else len(line)
        dash = DASH_OR_ARROW.match(line, at)
        if dash:
            comma = line.find(",", at)
            return dash.end() if not any_before else comma if comma >= 0 else len(line)
        behind = BEHIND_PARENTHESES.match(line, parentheses[at] + 1) if at in parentheses else None
        return behind.end() if behind else None

    def bare_end(at: int, stops: str = "") -> int:
        while at < len(line) and not ENTRY_END.match(line, at) and line[at] not in stops:
            at = braces.get(at, at) + 1
        return at

    at = 0
    while at < len(line):
        closing_quote = QUOTES.get(line[at])
        remark = remark_end(at)
        if ENTRY_END.match(line, at):
            leads = leads or line[at] == ","
            at += 1
        elif remark is not None:
            at = remark
        elif closing_quote and last[closing_quote] <= at:
            at += 1
        else:
            start = at
            if closing_quote:
                closed = line.find(closing_quote, at + 1)
                at = bare_end(closed + 1, "".join(QUOTES))
                text = CONTROL.sub(" ", line[start + 1 : closed]) + without_line_number(line[closed + 1 : at])
            else:
                at = bare_end(at)
                text = line[start:at]
                if not DOTS_AND_SLASHES.fullmatch(text):
                    text = without_line_number(text)
            if text:
                yield Entry(text, closing_quote is not None, leads)
                any_before = True
                leads = False


def add(kept: list[str], found: list[Entry]) -> None:
    """[4.1-10]"""
    for entry in found:
        if entry.text.lower() == "none" and not entry.quoted:
            kept.clear()
        else:
            kept.append(entry.text)


def keep(case: dict) -> dict:
    """[4.1-3], [4.1-4], [4.1-5], [4.1-12], [4.1-13]"""
    mark = MARK if case["text"].startswith(MARK) else ""
    kept: list[str] = []
    rest = [mark]
    answered = reset = awaits_items = False
    for line, content in unfenced(case["text"][len(mark) :]):
        name, value = directive(content) or (None, "")
        asks = name == "RESET" and TRUE.match(value) is not None
        reset = reset or asks
        if not asks:
            rest.append(line)
        if name == "KEEP":
            answered = True
            found = list(entries(value))
            add(kept, found)
            awaits_items = not found
        elif awaits_items and (content is None or not BLANK.fullmatch(content)):
            item = ITEM.fullmatch(content) if content and not name else None
            awaits_items = item is not None
            if item:
                add(kept, [entry for entry in entries(item[1]) if entry.leads])
    # Each entry once, at its first place.
    output = {"keep": list(dict.fromkeys(kept)) if answered else None, "reset": reset}
    return {**output, "rest": "".join(rest)} if reset else output
