"""Whether the events of a run, one JSON object a line, show a turn in which a tool was called, its result was
had, and the turn was completed after it."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as lines:
    events = [json.loads(line)["event"] for line in lines]
kinds = [event["kind"] for event in events]
started = [event for event in events if event["kind"] == "toolStarted"]
finished = [event for event in events if event["kind"] == "toolFinished"]
ended = [event for event in events if event["kind"] == "turnEnded"]
words = "".join(event["text"] for event in events if event["kind"] == "text")
print(f"  {len(started)} calls ({', '.join(e['name'] for e in started)}), said: {words[:200]!r}")
problems = []
if not started:
    problems.append("the model called no tool")
if not any(not event["isError"] and "apples" in event["content"] for event in finished):
    problems.append("no call read the file")
if [event["reason"] for event in ended] != ["completed"]:
    problems.append(f"turns ended: {ended}")
for problem in problems:
    print(f"  {problem}; events: {kinds}", file=sys.stderr)
sys.exit(bool(problems))
