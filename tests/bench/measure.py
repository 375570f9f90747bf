"""Measures the release binary beside a bare loop that does the same; started by tests/bench/run.

Wall and processor time in seconds, the latter with that of all that was started and ended; memory in MiB, of the
largest process. Each figure is the median of some runs, and the two of a pair are run by turns, so that their ratio
holds on a busy machine, too.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

BINARY, EXAMPLES = sys.argv[1:3]
STARTS = 20
CALLS = {20: 7, 200: 3}
# What the project aims at, on a machine of two quiet cores.
AIMS = {"initialize ms": 8, "initialize MiB": 10, "20 calls s": 0.10, "20 calls cpu s": 0.08, "20 calls MiB": 20,
        "20 calls ms a call over the floor": 0.7}


def environment(home, **more):
    kept = {"PATH": os.environ["PATH"], "HOME": home, "SWARM_HOME": os.path.join(home, "swarm"), "TMPDIR": home}
    return kept | more


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


class Model:
    """The scripted model server, for one conversation with a number of calls."""

    def __init__(self, home, count):
        call = lambda n: {"reply": [{"call": {"tool": "Bash", "input": {"command": "true"}, "id": f"toolu_{n}"}}]}
        steps = [call(n) for n in range(count)] + [{"reply": [{"say": "Done."}]}]
        script = os.path.join(home, "script.json")
        with open(script, "w", encoding="utf-8") as file:
            json.dump({"agents": {"*": steps}}, file)
        self.server = subprocess.Popen([os.path.join(EXAMPLES, "serve"), script], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
        self.address = self.server.stdout.readline().strip()

    def end(self):
        problems, _ = self.server.communicate()
        if self.server.returncode:
            sys.exit(f"requests were not in order: {problems}")


def conversation(count, kind):
    with tempfile.TemporaryDirectory() as home:
        work = os.path.join(home, "work")
        os.mkdir(work)
        model = Model(home, count)
        try:
            if kind == "floor":
                place = model.address.removeprefix("http://")
                command = [os.path.join(EXAMPLES, "floor"), place, str(count), BINARY]
                return measured(command, cwd=work, env=environment(home))
            command = [BINARY, "run", "--allow", "Bash(true)", "Begin."]
            keys = {"ANTHROPIC_BASE_URL": model.address, "ANTHROPIC_API_KEY": "none"}
            return measured(command, cwd=work, env=environment(home, **keys))
        finally:
            model.end()


def median(rows):
    return [statistics.median(column) for column in zip(*rows)]


def main():
    figures = {}
    with tempfile.TemporaryDirectory() as home:
        os.mkdir(os.path.join(home, "work"))
        took, resident = median([initialize(home) for _ in range(STARTS)])
    figures["initialize ms"] = took * 1000
    figures["initialize MiB"] = resident
    for count, runs in CALLS.items():
        ours, floor = [], []
        for _ in range(runs):
            floor.append(conversation(count, "floor"))
            ours.append(conversation(count, "run"))
        (wall, cpu, size), (least, least_cpu, _) = median(ours), median(floor)
        name = f"{count} calls"
        figures |= {
            f"{name} s": wall, f"{name} cpu s": cpu, f"{name} MiB": size,
            f"{name} floor s": least, f"{name} floor cpu s": least_cpu,
            f"{name} ratio to the floor": wall / least, f"{name} cpu ratio to the floor": cpu / least_cpu,
            f"{name} ms a call over the floor": (wall - least) / count * 1000,
        }
    width = max(map(len, figures))
    for name, figure in figures.items():
        aim = f"  aim {AIMS[name]:g}: {'met' if figure <= AIMS[name] else 'missed'}" if name in AIMS else ""
        print(f"{name:{width}}  {figure:9.3f}{aim}", file=sys.stderr)
    print(json.dumps({name: round(figure, 4) for name, figure in figures.items()}))


if __name__ == "__main__":
    main()
