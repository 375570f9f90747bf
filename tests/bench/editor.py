"""An editor, as far as the benchmarks need one: speaks LSP with the server, and notes when what came."""

import fcntl
import json
import os
import pty
import subprocess
import sys
import termios
import threading
import time

from host import BINARY, model_environment

# How long anything is waited for, in seconds.
PATIENCE = 300


class Editor:
    """A client with an extension's capabilities, on a workspace of its own."""

    def __init__(self, home, model, settings=None, answers_questions=False, **more):
        self.home, self.work = home, os.path.join(home, "work")
        os.makedirs(self.work, exist_ok=True)
        self.answers_questions = answers_questions
        self.asked = 0
        self.environment = model_environment(home, model) | more
        self.server = subprocess.Popen([BINARY], cwd=self.work, env=self.environment, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.last, self.answers, self.terminals, self.events = 0, {}, [], []
        self.writing, self.came = threading.Lock(), threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        swarm = {"events": True, "permissions": True, "terminals": True}
        capabilities = {"experimental": {"swarm": swarm}, "window": {"workDoneProgress": True},
                        "textDocument": {"codeAction": {"codeActionLiteralSupport": {
                            "codeActionKind": {"valueSet": ["quickfix"]}}}}}
        self.request("initialize", {"processId": None, "rootUri": "file://" + self.work, "capabilities": capabilities,
                                    "initializationOptions": settings or {}})
        self.say({"method": "initialized", "params": {}})

    @property
    def pid(self):
        return self.server.pid

    def say(self, message):
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        with self.writing:
            self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.server.stdin.flush()

    def request(self, method, params):
        """The answer, once it is there."""
        with self.came:
            self.last += 1
            number = self.last
        self.say({"id": number, "method": method, "params": params})
        return self.wait(lambda: self.answers.pop(number, None), method)

    def timed(self, method, params):
        """Seconds until the whole answer was there."""
        start = time.monotonic()
        self.request(method, params)
        return time.monotonic() - start

    def wait(self, look, what):
        """What `look` finds, as soon as it finds something."""
        with self.came:
            found = None
            def is_there():
                nonlocal found
                found = look()
                return found is not None or self.server.poll() is not None
            if not self.came.wait_for(is_there, PATIENCE) or found is None:
                sys.exit(f"{what}: it did not come; the server's code is {self.server.returncode}")
        if isinstance(found, dict) and "error" in found:
            sys.exit(f"{what}: {found['error']}")
        return found["result"] if isinstance(found, dict) and "result" in found else found

    def ended(self, members):
        """When these members' turns ended, once all have, by name, in monotonic seconds."""
        def look():
            ends = {event["member"].partition("@")[0]: at for at, event in self.events if event["kind"] == "turnEnded"}
            return ends if members <= ends.keys() else None
        return self.wait(look, f"the ends of {len(members)} turns")

    def read(self):
        out = self.server.stdout
        while True:
            length = 0
            while line := out.readline().strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            if not length:
                break
            body = out.read(length)
            # Most of what comes is not looked at: it must not cost the server the processor.
            if (b'"swarm/event"' in body[:80] and b'"turnEnded"' not in body and b'"permissionRequested"' not in body
                    and b'"memberEnded"' not in body and b'"warning"' not in body):
                continue
            self.take(json.loads(body), time.monotonic())
        with self.came:
            self.came.notify_all()

    def take(self, message, now):
        method, params = message.get("method"), message.get("params") or {}
        if method == "swarm/event":
            event = params["event"]
            if event["kind"] == "permissionRequested" and self.answers_questions:
                self.asked += 1
                self.allow(event["request"]["id"])
                return
            if event["kind"] == "warning":
                print(f"warning: {event['text']}", file=sys.stderr)
            with self.came:
                self.events.append((now, event))
                self.came.notify_all()
        elif method == "swarm/terminal/open":
            self.say({"id": message["id"], "result": {"terminalId": self.open_terminal(params)}})
        elif method is not None and "id" in message:
            self.say({"id": message["id"], "result": None})
        elif method is None:
            with self.came:
                self.answers[message["id"]] = message
                self.came.notify_all()

    def allow(self, question):
        with self.came:
            self.last += 1
            number = self.last
        params = {"ids": [question], "decision": "allow"}
        self.say({"id": number, "method": "swarm/permission/resolve", "params": params})

    def open_terminal(self, wanted):
        keyboard, end = pty.openpty()
        def own_terminal():
            os.setsid()
            fcntl.ioctl(end, termios.TIOCSCTTY, 0)
        environment = self.environment | {"TERM": "xterm-256color"} | wanted["env"]
        process = subprocess.Popen([wanted["command"], *wanted["args"]], cwd=wanted["cwd"], env=environment, stdin=end,
                                   stdout=end, stderr=end, preexec_fn=own_terminal)
        os.close(end)
        self.terminals.append(process)
        name = f"terminal-{len(self.terminals)}"
        def drain():
            try:
                while os.read(keyboard, 65536):
                    pass
            except OSError:
                pass
            code = process.wait()
            os.close(keyboard)
            try:
                self.say({"method": "swarm/terminal/closed", "params": {"terminalId": name, "exitCode": code}})
            except (OSError, ValueError):
                pass
        threading.Thread(target=drain, daemon=True).start()
        return name

    def close(self):
        self.request("shutdown", None)
        self.say({"method": "exit"})
        self.server.wait(30)
