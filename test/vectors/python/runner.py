"""Answers the cases of `yoke vectors --runner`. Written from vectors/behavioral-specification.md alone."""

from __future__ import annotations

import json
import sys

from fingerprint import fingerprint
from fork import fork
from keep import keep
from slug import slug

AREAS = {"fingerprint": fingerprint, "fork": fork, "keep": keep, "slug": slug}


def answer(case: dict) -> dict:
    run = AREAS.get(case["area"])
    if run is None:
        return {"skip": True}
    try:
        return {"output": run(case["input"])}
    except Exception as error:
        return {"error": repr(error)}


if __name__ == "__main__":
    # Lines of bytes: a text stream would depend on the locale.
    for line in sys.stdin.buffer:
        print(json.dumps(answer(json.loads(line))), flush=True)
