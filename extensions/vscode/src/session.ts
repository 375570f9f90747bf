// The connection to the server through all its runs, and the team as known from it. One for a window.
import { type Disposable, type Event, EventEmitter, type LogOutputChannel, type Uri } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { EventParams } from "./protocol.ts";
import { makeClient, settingsChanged, start } from "./server/client.ts";
import { Feed } from "./team/feed.ts";
import { TeamModel } from "./team/model.ts";

export type Health =
  | { state: "stopped" }
  | { state: "starting" }
  | { state: "running" }
  | { state: "failed"; problem: string };

export interface SessionOptions {
  folder: Uri;
  output: LogOutputChannel;
  program: () => Promise<string>;
  settings: () => Record<string, unknown>;
  /** What each run of the server is answered, such as `swarm/editor/save`. */
  answers: (client: LanguageClient) => Disposable[];
  /** The server cannot be used; the message is for the user. */
  failed: (problem: string) => void;
}

/** A server that ends by itself is started anew this often within `RESTART_WINDOW` milliseconds. */
const RESTARTS = 3;
const RESTART_WINDOW = 180_000;

/** How long the server may take to answer `initialize`, in milliseconds. */
const START_TIMEOUT = 30_000;

export class Session implements Disposable {
  readonly model = new TeamModel();
  health: Health = { state: "stopped" };

  private readonly changed = new EventEmitter<void>();
  private readonly happened = new EventEmitter<EventParams>();
  private readonly healed = new EventEmitter<void>();
  private run: { client: LanguageClient; feed: Feed; disposables: Disposable[] } | undefined;
  private ends: number[] = [];
  /** Starts and stops come one after the other. */
  private queue: Promise<void> = Promise.resolve();

  /** The team or the connection is another. */
  readonly onDidChange: Event<void> = this.changed.event;
  /** An event of the team, after the model took it. */
  readonly onEvent: Event<EventParams> = this.happened.event;
  /** The whole state was read anew. */
  readonly onHealed: Event<void> = this.healed.event;

  private readonly options: SessionOptions;

  constructor(options: SessionOptions) {
    this.options = options;
  }

  start(): Promise<void> {
    return this.enqueue(() => this.begin());
  }

  restart(): Promise<void> {
    this.ends = [];
    return this.enqueue(async () => {
      await this.end();
      await this.begin();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.end());
  }

  /** Asks the server; rejects with its words when it refuses. */
  async request<R>(method: string, params: unknown): Promise<R> {
    const run = this.run;
    if (!run || this.health.state !== "running") throw new Error("The Swarm server is not running.");
    return run.client.sendRequest<R>(method, params);
  }

  /** Has the server ask for the settings anew. */
  async settingsChanged(): Promise<void> {
    if (this.run && this.health.state === "running") await settingsChanged(this.run.client);
  }

  /** Adds a line to the log that the person can look at. */
  log(line: string): void {
    this.options.output.info(line);
  }

  dispose(): void {
    this.changed.dispose();
    this.happened.dispose();
    this.healed.dispose();
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work, work);
    return this.queue;
  }

  private async begin(): Promise<void> {
    if (this.run) return;
    this.become({ state: "starting" });
    const { folder, output, settings } = this.options;
    let client: LanguageClient | undefined;
    try {
      const program = await this.options.program();
      output.info(`Starting ${program} for ${folder.fsPath}`);
      client = makeClient({ program, folder, output, settings, closed: () => this.lost(client) });
      const run = { client, feed: this.feed(client), disposables: this.options.answers(client) };
      this.run = run;
      run.disposables.push(
        client.onNotification("swarm/event", (params: EventParams) => run.feed.take(params)),
      );
      await within(
        START_TIMEOUT,
        start(client, program),
        `${program} did not answer in ${START_TIMEOUT / 1000} s.`,
      );
      this.become({ state: "running" });
      await run.feed.heal();
    } catch (problem) {
      await this.end();
      this.fail(wordsOf(problem));
    }
  }

  private feed(client: LanguageClient): Feed {
    return new Feed(this.model, (method, params) => client.sendRequest(method, params), {
      healed: () => {
        this.healed.fire();
        this.changed.fire();
      },
      event: (params) => {
        this.happened.fire(params);
        this.changed.fire();
      },
      lost: (problem) => this.options.output.info(`The team's state could not be read: ${wordsOf(problem)}`),
    });
  }

  private async end(): Promise<void> {
    const run = this.run;
    if (!run) return;
    this.run = undefined;
    run.feed.end();
    for (const disposable of run.disposables) disposable.dispose();
    this.forget();
    this.become({ state: "stopped" });
    // A server that never started, or is gone, cannot be asked to stop: then there is nothing to wait for.
    await run.client.dispose(3000).catch(() => {});
  }

  /** The server ended by itself. */
  private lost(client: LanguageClient | undefined): void {
    if (!this.run || this.run.client !== client || this.health.state !== "running") return;
    const now = Date.now();
    this.ends = [...this.ends.filter((at) => now - at < RESTART_WINDOW), now];
    const often = this.ends.length > RESTARTS;
    void this.enqueue(async () => {
      await this.end();
      if (often) this.fail(`The server ended ${this.ends.length} times within three minutes.`);
      else await this.begin();
    });
  }

  /** What is known of the team is not shown as if it still were so. */
  private forget(): void {
    this.model.replace({ seq: 0, teams: [], members: [], permissions: [], plans: [], tasks: [] });
  }

  private fail(problem: string): void {
    this.become({ state: "failed", problem });
    this.options.failed(problem);
  }

  private become(health: Health): void {
    this.health = health;
    this.changed.fire();
  }
}

/** What went wrong, for a person. */
export function wordsOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}

async function within<T>(milliseconds: number, work: Promise<T>, late: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(late)), milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
