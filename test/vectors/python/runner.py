"""A second implementation of the areas keep, slug and fork, after the specification.

It needs nothing but Python's standard library: yoke vectors --runner 'python3 test/vectors/python/runner.py'
"""

import json
import re
import sys
import unicodedata

SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
S = f"[{SPACE}]"
SPACES = "".join(chr(code) for code in range(0x10000) if re.fullmatch(S, chr(code)))
MARK = "\ufeff"
QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019"}


# §4.1


def lines_of(text):
    """Pairs of a line as it stands, with its end, and the same with white space for control characters."""
    for raw in re.findall(r"[^\n]*\n|[^\n]+", text):
        yield raw, re.sub("[\x00-\x1f\x7f]", " ", raw)


def outside_code(text):
    """Triples: the line as it stands, its content, whether it is part of fenced code [4.1-1]."""
    fence = None
    lead = f"{S}*(?:(?:>|[-*+]{S}|[0-9]{{1,9}}[.)]{S}){S}*)*"
    for raw, content in lines_of(text):
        if fence is None:
            opened = re.fullmatch(f"{lead}(?:(`{{3,}})[^`]*|(~{{3,}}).*)", content, re.S)
            if opened:
                fence = opened[1] or opened[2]
            yield raw, content, opened is not None
        else:
            closed = re.fullmatch(f"[{SPACE}>]*(`{{3,}}|~{{3,}}){S}*", content)
            if closed and closed[1].startswith(fence):
                fence = None
            yield raw, content, True


def directive(content):
    """The word and the value of a directive line [4.1-2]."""
    found = re.match(
        f"{S}*(?:>{S}*|[-*+]{S}+|[0-9]{{1,9}}[.)]{S}+|#{{1,6}}{S}+)*"
        f"(?:\\[[ xX]\\]{S}+)?([*]{{1,3}}|_{{1,3}}|`{{1,2}}|~~)?(KEEP|RESET)",
        content,
    )
    if not found:
        return None
    marks, word = found[1] or "", found[2]
    rest = content[found.end() :]
    closed = marks != "" and rest.startswith(marks)
    if closed:
        rest = rest[len(marks) :]
    colon = re.match(f"{S}*:", rest)
    if not colon:
        return None
    value = rest[colon.end() :]
    if marks and not closed:
        stripped = value.strip(SPACES)
        if value.startswith(marks):
            value = value[len(marks) :]
        elif stripped.endswith(marks):
            value = stripped[: -len(marks)]
    return word, value.strip(SPACES)


def asks_for_fork(value):
    """[4.1-3]"""
    return re.match(r"[\"'`*_]*true(?!\w)", value, re.I) is not None


def without_brackets(value):
    """[4.1-8]"""
    if not value.startswith("["):
        return value
    depth = 0
    for at, char in enumerate(value):
        depth += (char == "[") - (char == "]")
        if depth == 0:
            inside, rest = value[1:at], value[at + 1 :]
            is_list = rest == "" or (re.match(S, rest) and re.search(f"[{SPACE},]", inside))
            return inside + rest if is_list else value
    return value


def bare_end(line, at):
    """Where a bare entry ends: at a comma or white space, but not within balanced braces [4.1-6]."""
    while at < len(line) and not re.match(f"[{SPACE},]", line[at]):
        if line[at] != "{":
            at += 1
            continue
        depth, end = 0, at
        while end < len(line) and not re.match(S, line[end]):
            depth += (line[end] == "{") - (line[end] == "}")
            end += 1
            if depth == 0:
                break
        at = end if depth == 0 else at + 1
    return at


def without_punctuation(text):
    """[4.1-9]"""
    return re.sub(r"(?::[0-9]+(?:-[0-9]+)?){1,2}$", "", text.rstrip(".;:"))


def remark_end(line, at):
    """Where a remark that begins here ends, None when none does [4.1-11]."""
    if line[at] == "#":
        return len(line)
    if line.startswith("<!--", at):
        end = line.find("-->", at + 4)
        return len(line) if end == -1 else end + 3
    if line[at] == "(":
        depth = 0
        for end in range(at, len(line)):
            depth += (line[end] == "(") - (line[end] == ")")
            if depth == 0:
                after = line[end + 1 : end + 2]
                if after == "" or re.match(f"[{SPACE},.;:]", after):
                    return end + 1 + len(re.match("[.;:]*", line[end + 1 :])[0])
                return None
    return None


def entries(value):
    """Triples: text, whether it is bare, whether it leads (first, or behind a comma)."""
    line = without_brackets(value)
    found, at, leads = [], 0, True

    def push(text, bare):
        nonlocal leads
        if text:
            found.append((text, bare, leads))
            leads = False

    while at < len(line):
        if re.match(f"[{SPACE},]", line[at]):
            leads = leads or line[at] == ","
            at += 1
            continue
        end = remark_end(line, at)
        if end is not None:
            at = end
            continue
        dash = re.compile(f"(?:[-\u2013\u2014]+>?|=>|\u2192)(?={S}|$)").match(line, at)
        if dash:
            at = dash.end()
            if found:
                comma = line.find(",", at)
                at = len(line) if comma == -1 else comma
            continue
        quote = QUOTES.get(line[at])
        if quote is None:
            end = bare_end(line, at)
            text = line[at:end]
            push(text if re.fullmatch(r"[./\\]+", text) else without_punctuation(text), True)
            at = end
            continue
        end = line.find(quote, at + 1)
        if end == -1:
            at += 1
            continue
        joined = re.compile(f"[^{SPACE},\"'`\u201c\u2018]*").match(line, end + 1)
        push(line[at + 1 : end] + without_punctuation(joined[0]), False)
        at = joined.end()
    return found


def keep(case):
    text = case["text"]
    mark = MARK if text.startswith(MARK) else ""
    kept, reset, awaits_items, rest = None, False, False, [mark]

    def add(new):
        nonlocal kept
        kept = kept or []
        for entry, bare, _ in new:
            if bare and entry.lower() == "none":
                kept = []
            else:
                kept.append(entry)

    for raw, content, is_code in outside_code(text[len(mark) :]):
        found = None if is_code else directive(content)
        if found and found[0] == "RESET" and asks_for_fork(found[1]):
            reset = True
        else:
            rest.append(raw)
        if found and found[0] == "KEEP":
            new = entries(found[1])
            add(new)
            awaits_items = not new
        elif awaits_items and content.strip(SPACES) != "":
            item = re.match(
                f"{S}*(?:>{S}*)*(?:[-*+]|[0-9]{{1,9}}[.)]){S}+(?:\\[[ xX]\\]{S}+)?", content
            )
            if is_code or found or not item:
                awaits_items = False
            else:
                add([entry for entry in entries(content[item.end() :]) if entry[2]])
    answer = {"keep": None if kept is None else list(dict.fromkeys(kept)), "reset": reset}
    return answer | ({"rest": "".join(rest)} if reset else {})


# §7.2


def units(text):
    encoded = text.encode("utf-16-le")
    return [encoded[at] + 256 * encoded[at + 1] for at in range(0, len(encoded), 2)]


def base36(number):
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


def slug(case):
    path = units(unicodedata.normalize("NFC", case["path"]))
    name = "".join(
        chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in path
    )
    if len(name) <= 200:
        return {"slug": name}
    code = 0
    for unit in path:
        code = (31 * code + unit) % 2**32
    signed = code - 2**32 if code >= 2**31 else code
    return {"slug": f"{name[:200]}-{base36(abs(signed))}"}


# §3.5


def fork(case):
    session, every, over = case["session"], case["every"], case["over"]
    if session is None:
        return {"fork": None}
    if case["reset"]:
        return {"fork": "RESET"}
    if every is not None and session["iterations"] >= every:
        return {"fork": "context-fork-every"}
    if over is not None and session["tokens"] > over:
        return {"fork": "context-fork-over"}
    return {"fork": None}


AREAS = {"keep": keep, "slug": slug, "fork": fork}


def answer(line):
    case = json.loads(line)
    run = AREAS.get(case["area"])
    if run is None:
        return {"skip": True}
    try:
        return {"output": run(case["input"])}
    except Exception as error:  # A fault of ours is not a refusal.
        return {"error": repr(error)}


if __name__ == "__main__":
    for question in sys.stdin.buffer:
        print(json.dumps(answer(question)), flush=True)
