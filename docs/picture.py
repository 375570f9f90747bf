#!/usr/bin/env python3
"""Makes docs/demo.svg: the real screen of `swarm-ls demo` in a real terminal (tmux), at its second question.

    cargo build && docs/picture.py        needs tmux; no network, and nothing stays behind
"""

import html
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BINARY = os.path.join(ROOT, os.environ.get("CARGO_TARGET_DIR", "target"), "debug/swarm-ls")
COLUMNS, ROWS = 94, 30
CELL_WIDTH, CELL_HEIGHT, MARGIN = 8.4, 18, 14
PAPER, INK = "#1e1e2e", "#cdd6f4"
COLORS = {31: "#f38ba8", 32: "#a6e3a1", 33: "#f9e2af", 34: "#89b4fa", 35: "#cba6f7", 36: "#94e2d5"}
# How long a question may take to come, in seconds.
PATIENCE = 30


def tmux(socket, *arguments):
    done = subprocess.run(["tmux", "-S", socket, "-f", "/dev/null", *arguments], check=True, capture_output=True, text=True)
    return done.stdout


def asked(socket, times):
    """Waits until the question of this number is open, counted from 1."""
    end = time.monotonic() + PATIENCE
    while True:
        screen = tmux(socket, "capture-pane", "-p", "-t", "demo", "-S", "-").rstrip()
        open_now = screen.splitlines()[-1:] and "allow? [y]es" in screen.splitlines()[-1]
        if open_now and screen.count("? asks: ") == times:
            return
        if time.monotonic() > end:
            sys.exit(f"question {times} did not come; the screen is:\n{screen}")
        time.sleep(0.05)


def capture():
    with tempfile.TemporaryDirectory() as place:
        socket = os.path.join(place, "tmux")
        size = ["-x", str(COLUMNS), "-y", str(ROWS)]
        tmux(socket, "new-session", "-d", "-s", "demo", *size, BINARY, "demo")
        try:
            asked(socket, 1)
            tmux(socket, "send-keys", "-t", "demo", "y", "Enter")
            asked(socket, 2)
            return tmux(socket, "capture-pane", "-p", "-e", "-t", "demo")
        finally:
            # Ends the demo by its own way out, so that it takes its folder along.
            tmux(socket, "send-keys", "-t", "demo", "C-c")
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                gone = subprocess.run(["tmux", "-S", socket, "has-session"], capture_output=True, check=False)
                if gone.returncode:
                    break
                time.sleep(0.05)
            else:
                tmux(socket, "kill-server")


def spans(line):
    """The line as pieces of text with their color and weight."""
    color, bold, dim = None, False, False
    for codes, text in re.findall(r"(?:\x1b\[([0-9;]*)m)?([^\x1b]*)", line):
        for code in [int(code or 0) for code in codes.split(";")] if codes is not None else []:
            if code == 0:
                if codes:
                    color, bold, dim = None, False, False
            elif code in (1, 2):
                bold, dim = bold or code == 1, dim or code == 2
            elif code == 22:
                bold = dim = False
            elif code == 39:
                color = None
            elif code in COLORS:
                color = COLORS[code]
        if text:
            yield text, color, bold, dim


def svg(screen):
    lines = screen.rstrip("\n").split("\n")
    width = COLUMNS * CELL_WIDTH + 2 * MARGIN
    height = len(lines) * CELL_HEIGHT + 2 * MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" role="img" aria-label="swarm-ls demo in a terminal">',
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
        f'<g font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14" fill="{INK}" xml:space="preserve">',
    ]
    for number, line in enumerate(lines):
        column, y = 0, MARGIN + (number + 0.75) * CELL_HEIGHT
        for text, color, bold, dim in spans(line):
            x = MARGIN + column * CELL_WIDTH
            column += len(text)
            if not text.strip():
                continue
            style = f' fill="{color}"' if color else ""
            style += ' font-weight="bold"' if bold else ""
            style += ' opacity="0.6"' if dim else ""
            length = len(text) * CELL_WIDTH
            out.append(
                f'<text x="{x:.1f}" y="{y:.1f}" textLength="{length:.1f}"{style}>{html.escape(text)}</text>'
            )
    out.append("</g>\n</svg>\n")
    return "\n".join(out)


if __name__ == "__main__":
    with open(os.path.join(ROOT, "docs/demo.svg"), "w", encoding="utf-8") as file:
        file.write(svg(capture()))
