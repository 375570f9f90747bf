// Programs that the tests start: each in a group of its own, so that it ends with all that it started.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const started = new Set();

/** Starts a program. `line(pattern)` waits for a line of its output; `output` is all that it said. */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], detached: true, ...options });
  const program = { child, output: "", ended: false };
  const watchers = new Set();
  const look = () => {
    for (const watcher of watchers) watcher();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => {
      program.output += text;
      look();
    });
  }
  program.exit = new Promise((resolve) => {
    child.on("error", (error) => {
      program.output += `${error}\n`;
      program.ended = true;
      look();
      resolve(-1);
    });
    child.on("exit", (code) => {
      program.ended = true;
      look();
      resolve(code);
    });
  });
  program.line = (pattern, within = 60_000) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        watchers.delete(watcher);
      };
      const watcher = () => {
        const found = pattern.exec(program.output);
        if (found) {
          stop();
          resolve(found);
        } else if (program.ended) {
          stop();
          reject(new Error(`${command} ended before it said ${pattern}:\n${program.output}`));
        }
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`${command} did not say ${pattern} in ${within} ms:\n${program.output}`));
      }, within);
      watchers.add(watcher);
      watcher();
    });
  program.stop = async (signal = "SIGTERM", grace = 10_000) => {
    kill(child.pid, signal);
    const timer = setTimeout(() => kill(child.pid, "SIGKILL"), grace);
    await program.exit;
    clearTimeout(timer);
    kill(child.pid, "SIGKILL");
    started.delete(program);
  };
  started.add(program);
  return program;
}

/** Ends everything that still runs, at once. */
export function killAll() {
  for (const { child } of started) kill(child.pid, "SIGKILL");
}

function kill(group, signal) {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** The processes whose program is beneath `folder`, with their working directory and their arguments. */
export function running(folder) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const program = readlinkSync(`/proc/${pid}/exe`);
        const state = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "")[0];
        const alive = program.startsWith(folder) && state !== "Z";
        if (!alive) return [];
        const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(1, -1);
        return [{ pid: Number(pid), program, cwd: readlinkSync(`/proc/${pid}/cwd`), args }];
      } catch {
        return [];
      }
    });
}
