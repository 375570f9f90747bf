"""Teammates in processes of their own: how soon they ask their model, what they hold, and how long a question takes."""

import os
import tempfile
import time

from editor import Editor
from host import Model, call, median, part, status

STARTS = 15
BACKENDS = ["in-process", "hidden", "editor-terminal", "tmux"]
QUESTIONS = 250
AIMS = {"hidden, start ms": 30, "editor-terminal, start ms": 30, "tmux, start ms": 150, "hidden, MiB": 12,
        "editor-terminal, MiB": 12, "tmux, MiB": 12, "hidden, question p99 ms": 6}


def process_of(home, name):
    """The process of this teammate, by the order that it was started with."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as line:
                words = line.read().split(b"\0")
        except OSError:
            continue
        if b"teammate" in words and any(home.encode() in word and f"{name}@".encode() in word for word in words):
            return int(pid)
    return None


def starts(backend):
    """Milliseconds from each wish for a teammate to its first model request, and its process's resident MiB then."""
    names = [f"m{number}" for number in range(STARTS)]
    with tempfile.TemporaryDirectory() as home:
        model = Model(home, {})
        editor = Editor(home, model, {"maxMembers": STARTS + 1}, TMUX_TMPDIR=home)
        editor.request("swarm/prompt", {"text": "Begin."})
        editor.ended({"team-lead"})
        rows = []
        for name in names:
            wished = time.time()
            editor.request("swarm/teammate/spawn", {"name": name, "prompt": "Work.", "backend": backend})
            editor.ended({name})
            pid = process_of(home, name) or editor.pid
            rows.append(((model.requests()[name][0] - wished) * 1000, status(pid, "VmRSS"), status(pid, "RssAnon")))
        editor.close()
        model.end()
        return rows


def questions(backend, ask):
    """Milliseconds from each answer of the model, a call that asks or that is allowed, to the request with its result."""
    with tempfile.TemporaryDirectory() as home:
        steps = [call("Bash", command="true > made") | {"times": QUESTIONS}]
        model = Model(home, {"ada": steps})
        editor = Editor(home, model, {"trust": "ask" if ask else "workspace"}, answers_questions=True)
        editor.request("swarm/prompt", {"text": "Begin."})
        editor.ended({"team-lead"})
        editor.request("swarm/teammate/spawn", {"name": "ada", "prompt": "Work.", "backend": backend})
        editor.ended({"ada"})
        came = model.requests()["ada"]
        editor.close()
        model.end()
        if len(came) != QUESTIONS + 1 or (editor.asked > 0) != ask:
            raise SystemExit(f"{len(came)} requests and {editor.asked} questions")
        return [(after - before) * 1000 for before, after in zip(came, came[1:])]


def figures():
    for backend in BACKENDS:
        rows = starts(backend)
        start, resident, own = median(rows)
        yield f"{backend}, start ms", start
        yield f"{backend}, start ms, the quickest", min(rows)[0]
        if backend != "in-process":
            yield f"{backend}, MiB", resident
            yield f"{backend}, MiB of its own", own
    for backend in ["in-process", "hidden"]:
        asked, allowed = questions(backend, True), questions(backend, False)
        base = part(allowed, 0.5)
        yield f"{backend}, an allowed call p50 ms", base
        yield f"{backend}, an allowed call p99 ms", part(allowed, 0.99)
        # What a question adds to the middle of the calls that are allowed.
        yield f"{backend}, question p50 ms", part(asked, 0.5) - base
        yield f"{backend}, question p99 ms", part(asked, 0.99) - base
        yield f"{backend}, ratio of a call that asks to one that is allowed", part(asked, 0.5) / base
