"""§7.2: the name of the folder that holds a project's sessions."""

from __future__ import annotations

import string
import unicodedata

ALPHANUMERIC = set((string.ascii_letters + string.digits).encode())
DIGITS = string.digits + string.ascii_lowercase
LIMIT = 200


def units(text: str) -> list[int]:
    """The UTF-16 units; a lone surrogate is one as well."""
    data = text.encode("utf-16-le", "surrogatepass")
    return [data[at] | data[at + 1] << 8 for at in range(0, len(data), 2)]


def hash32(path: list[int]) -> int:
    """[7.2-2]: the 32 bits have a sign, or there would be no absolute value."""
    h = 0
    for unit in path:
        h = (31 * h + unit) % 2**32
    return abs(h - 2**32 if h >= 2**31 else h)


def base36(number: int) -> str:
    """[7.2-2]"""
    text = ""
    while number:
        number, digit = divmod(number, 36)
        text = DIGITS[digit] + text
    return text or "0"


def slug(case: dict) -> dict:
    """[7.2-1], [7.2-2]"""
    path = units(unicodedata.normalize("NFC", case["path"]))
    name = "".join(chr(unit) if unit in ALPHANUMERIC else "-" for unit in path)
    if len(name) > LIMIT:
        name = f"{name[:LIMIT]}-{base36(hash32(path))}"
    return {"slug": name}
