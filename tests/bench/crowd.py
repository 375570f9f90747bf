"""Many teammates in the server at once: all hold a model request, then each makes its calls as fast as it can."""

import os
import sys
import tempfile
import threading
import time

from editor import Editor
from host import BINARY, EXAMPLES, Model, call, environment, part, processor, status
from solo import measured

CALLS = 20
CROWDS = [1, 10, 100, 1000]
# What is read so often is 16 KiB in the end.
TEXT = "0123456789abcde\n" * 51
KINDS = {"cheap": call("Read", path="text.txt"), "confined": call("Bash", command="true")}
# How often the editor asks for something meanwhile, in seconds.
EVERY = 0.01
IDLERS, IDLE_SECONDS = 20, 60
AIMS = {"10 x 20 confined s": 0.6, "100 x 20 cheap, KiB a teammate": 150, "100 x 20 cheap, MiB": 30,
        "100 x 20 cheap, state p99 ms": 20, "100 x 20 cheap, codeAction p99 ms": 20,
        "100 x 20 confined, state p99 ms": 20, "100 x 20 confined, codeAction p99 ms": 20,
        f"{IDLERS} idle, cpu s a minute": 0.05}


def members(count):
    return [f"m{number}" for number in range(count)]


class Prober:
    """Asks for the state and for code actions, by turns, until it is stopped."""

    def __init__(self, editor):
        self.editor, self.took, self.over = editor, {"state": [], "codeAction": []}, threading.Event()
        self.thread = threading.Thread(target=self.ask)
        self.thread.start()

    def ask(self):
        place = {"line": 0, "character": 0}
        document = {"uri": "file://" + os.path.join(self.editor.work, "text.txt")}
        action = {"textDocument": document, "range": {"start": place, "end": place}, "context": {"diagnostics": []}}
        while not self.over.wait(EVERY):
            self.took["state"].append(self.editor.timed("swarm/state", {}))
            self.took["codeAction"].append(self.editor.timed("textDocument/codeAction", action))

    def stop(self):
        self.over.set()
        self.thread.join()
        return {what: (part(took, 0.5), part(took, 0.99)) for what, took in self.took.items() if took}


def start(home, model, count):
    """An editor whose leader's agent has answered once."""
    editor = Editor(home, model, {"maxMembers": count + 1, "trust": "workspace"})
    with open(os.path.join(editor.work, "text.txt"), "w", encoding="utf-8") as file:
        file.write(TEXT)
    editor.request("swarm/prompt", {"text": "Begin."})
    editor.ended({"team-lead"})
    return editor


def spawn(editor, names):
    for name in names:
        editor.request("swarm/teammate/spawn", {"name": name, "prompt": "Work.", "backend": "in-process"})


def crowd(count, kind):
    """What a crowd costs, as names and figures."""
    names = members(count)
    steps = [KINDS[kind] | {"wait": "go"}, KINDS[kind] | {"times": CALLS - 1}]
    with tempfile.TemporaryDirectory() as home:
        model = Model(home, {name: steps for name in names})
        editor = start(home, model, count)
        alone, began = status(editor.pid, "VmRSS"), time.monotonic()
        spawn(editor, names)
        yield "ms a spawn", (time.monotonic() - began) / count * 1000
        while len([name for name in model.requests() if name != "team-lead"]) < count:
            time.sleep(0.05)
        prober, before, began = Prober(editor), processor(editor.pid), time.monotonic()
        model.open("go")
        ends = editor.ended(set(names))
        took = {name: ends[name] - began for name in names}
        cpu, asked = processor(editor.pid) - before, prober.stop()
        yield "s", max(took.values())
        yield "cpu s", cpu
        yield "fairness, last to first", max(took.values()) / min(took.values())
        for what, (middle, worst) in asked.items():
            yield f"{what} p50 ms", middle * 1000
            yield f"{what} p99 ms", worst * 1000
        # With what they said in the end told to the leader's agent.
        time.sleep(0.5)
        resident = status(editor.pid, "VmRSS")
        yield "MiB", resident
        yield "KiB a teammate", (resident - alone) * 1024 / count
        editor.close()
        model.end()


def floor(count, kind):
    """Wall and processor time of the same in a bare loop a member."""
    with tempfile.TemporaryDirectory() as home:
        text = os.path.join(home, "text.txt")
        with open(text, "w", encoding="utf-8") as file:
            file.write(TEXT)
        model = Model(home, {name: [KINDS[kind] | {"times": CALLS}] for name in members(count)})
        place = model.address.removeprefix("http://")
        command = [os.path.join(EXAMPLES, "floor"), place, str(CALLS), BINARY, str(count)]
        took = measured(command + ([text] if kind == "cheap" else []), env=environment(home))
        model.end()
        return took


def idle():
    """Processor time of teammates in a minute without work."""
    names = members(IDLERS)
    with tempfile.TemporaryDirectory() as home:
        model = Model(home, {})
        editor = start(home, model, IDLERS)
        spawn(editor, names)
        editor.ended(set(names))
        time.sleep(3)
        before = processor(editor.pid)
        time.sleep(IDLE_SECONDS)
        took = processor(editor.pid) - before
        editor.close()
        model.end()
        return took / IDLE_SECONDS * 60


def figures(crowds=None):
    for kind in KINDS:
        for count in crowds or CROWDS:
            name = f"{count} x {CALLS} {kind}"
            print(f"… {name}", file=sys.stderr)
            least, least_cpu, _ = floor(count, kind)
            for what, figure in crowd(count, kind):
                yield f"{name} s" if what == "s" else f"{name}, {what}", figure
                if what in ("s", "cpu s"):
                    base = least if what == "s" else least_cpu
                    yield f"{name}, floor {what}", base
                    yield f"{name}, ratio of {what} to the floor", figure / base
    print(f"… {IDLERS} idle", file=sys.stderr)
    yield f"{IDLERS} idle, cpu s a minute", idle()
