"""Measures the release binary, each part beside a bare loop that does the same; started by tests/bench/run.

Wall and processor time in seconds, the latter with that of all that was started and ended; memory in MiB. The two of a
pair are run in the same minutes, so that their ratio holds on a busy machine, too.
"""

import json
import sys

import crowd
import processes
import solo

PARTS = {"solo": solo, "crowd": crowd, "processes": processes}


def main():
    wanted = sys.argv[3:] or list(PARTS)
    if unknown := [name for name in wanted if name not in PARTS]:
        sys.exit(f"there is no part {unknown[0]}; there are: {', '.join(PARTS)}")
    found = {}
    for name in wanted:
        for what, figure in PARTS[name].figures():
            found[what] = figure
            aim = PARTS[name].AIMS.get(what)
            said = "" if aim is None else f"  aim {aim:g}: {'met' if figure <= aim else 'missed'}"
            print(f"{what:52}  {figure:10.3f}{said}", file=sys.stderr, flush=True)
    print(json.dumps({what: round(figure, 4) for what, figure in found.items()}))


if __name__ == "__main__":
    main()
