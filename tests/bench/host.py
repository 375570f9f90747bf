"""What the benchmarks start and read of the machine: the scripted model server, processes, their time and memory."""

import json
import os
import statistics
import subprocess
import sys
import urllib.request

BINARY, EXAMPLES = sys.argv[1:3]
TICKS = os.sysconf("SC_CLK_TCK")


def environment(home, **more):
    kept = {"PATH": os.environ["PATH"], "HOME": home, "SWARM_HOME": os.path.join(home, "swarm"), "TMPDIR": home}
    return kept | more


def model_environment(home, model):
    return environment(home, ANTHROPIC_BASE_URL=model.address, ANTHROPIC_API_KEY="none")


def call(tool, **given):
    return {"reply": [{"call": {"tool": tool, "input": given}}]}


def median(rows):
    return [statistics.median(column) for column in zip(*rows)]


def part(values, share):
    """The value that this share of all is not above."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def processor(pid):
    """Seconds that a process took so far, with those that it waited for."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def status(pid, name):
    """A figure of the process's status; memory is MiB."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as lines:
        line = next(line for line in lines if line.startswith(name + ":"))
    return int(line.split()[1]) / (1024 if line.rstrip().endswith("kB") else 1)


def children(pid):
    """The processes that this one started and that live."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as own:
        found = own.read().split()
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/children", encoding="utf-8") as more:
                found += more.read().split()
        except OSError:
            pass
    return sorted({int(child) for child in found})


class Model:
    """The scripted model server. A script is what each agent is answered, step by step."""

    def __init__(self, home, agents):
        script = os.path.join(home, "script.json")
        with open(script, "w", encoding="utf-8") as file:
            json.dump({"agents": agents, "forgetBodies": True}, file)
        self.server = subprocess.Popen([os.path.join(EXAMPLES, "serve"), script], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
        self.address = self.server.stdout.readline().strip()

    def open(self, gate):
        """Lets all go on that wait there."""
        urllib.request.urlopen(urllib.request.Request(f"{self.address}/script/gates/{gate}", method="POST")).close()

    def requests(self):
        """When each request came, in Unix seconds, by agent."""
        with urllib.request.urlopen(f"{self.address}/script/report") as answer:
            report = json.load(answer)
        came = {}
        for request in report["requests"]:
            came.setdefault(request["agent"].partition("@")[0], []).append(request["atMs"] / 1000)
        return came

    def end(self):
        problems, _ = self.server.communicate()
        if self.server.returncode:
            sys.exit(f"requests were not in order: {problems}")
