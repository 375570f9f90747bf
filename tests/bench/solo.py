"""One member: `initialize`, and a headless run with confined commands beside the floor."""

import json
import os
import subprocess
import sys
import tempfile
import time

from host import BINARY, EXAMPLES, Model, call, environment, median, model_environment

STARTS = 20
CALLS = {20: 11, 200: 3}
AIMS = {"initialize ms": 8, "initialize MiB": 10, "20 calls s": 0.10, "20 calls cpu s": 0.08, "20 calls MiB": 20,
        "20 calls ms a call over the floor": 0.7}


def measured(command, **options):
    """Wall, processor time, and the largest resident size of a command that must succeed."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{command[:2]} ended with {child.returncode}: {errors.decode()}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def initialize(home):
    """Seconds from the start of the process to its answer, and its resident MiB then."""
    params = {"processId": None, "rootUri": "file://" + os.path.join(home, "work"), "capabilities": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    start = time.monotonic()
    child = subprocess.Popen([BINARY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             env=environment(home))
    child.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    child.stdin.flush()
    length = 0
    while (line := child.stdout.readline().strip()):
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    answer = json.loads(child.stdout.read(length))
    took = time.monotonic() - start
    if "result" not in answer:
        sys.exit(f"initialize was answered with {answer}")
    with open(f"/proc/{child.pid}/status", encoding="utf-8") as status:
        resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024
    child.stdin.close()
    child.wait()
    return took, resident


def conversation(count, kind):
    with tempfile.TemporaryDirectory() as home:
        work = os.path.join(home, "work")
        os.mkdir(work)
        model = Model(home, {"*": [call("Bash", command="true") | {"times": count}]})
        try:
            if kind == "floor":
                place = model.address.removeprefix("http://")
                command = [os.path.join(EXAMPLES, "floor"), place, str(count), BINARY]
                return measured(command, cwd=work, env=environment(home))
            command = [BINARY, "run", "--allow", "Bash(true)", "Begin."]
            return measured(command, cwd=work, env=model_environment(home, model))
        finally:
            model.end()


def figures():
    with tempfile.TemporaryDirectory() as home:
        os.mkdir(os.path.join(home, "work"))
        took, resident = median([initialize(home) for _ in range(STARTS)])
    yield "initialize ms", took * 1000
    yield "initialize MiB", resident
    for count, runs in CALLS.items():
        ours, floor = [], []
        for _ in range(runs):
            floor.append(conversation(count, "floor"))
            ours.append(conversation(count, "run"))
        (wall, cpu, size), (least, least_cpu, _) = median(ours), median(floor)
        name = f"{count} calls"
        yield f"{name} s", wall
        yield f"{name} s, the quickest", min(ours)[0]
        yield f"{name} cpu s", cpu
        yield f"{name} MiB", size
        yield f"{name} floor s", least
        yield f"{name} floor s, the quickest", min(floor)[0]
        yield f"{name} floor cpu s", least_cpu
        yield f"{name} ratio to the floor", wall / least
        yield f"{name} cpu ratio to the floor", cpu / least_cpu
        yield f"{name} ms a call over the floor", (wall - least) / count * 1000
