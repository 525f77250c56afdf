"""§3.5: whether a session is left, and why."""

from __future__ import annotations


def cause(session: dict | None, reset: bool, every: int | None, over: int | None) -> str | None:
    """[3.5-1] to [3.5-5]"""
    if session is None:
        return None
    if reset:
        return "RESET"
    if every is not None and session["iterations"] >= every:
        return "context-fork-every"
    if over is not None and session["tokens"] > over:
        return "context-fork-over"
    return None


def fork(case: dict) -> dict:
    return {"fork": cause(**case)}
