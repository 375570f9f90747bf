// One member's conversation: the history that the server keeps, and what has happened since its last entry.
// Knows no editor. The history is the truth; what is live makes room for each entry that comes.
import type { Entry, EventParams, TranscriptResult } from "../protocol.ts";
import type { Ask } from "../team/feed.ts";
import type { Live, LiveCall } from "./messages.ts";
import { TurnText } from "./turntext.ts";

/** How many entries are asked for at once. */
const PAGE = 1000;

/** The history is read again at most so often, in milliseconds: each call of an agent asks for it. */
const READ_EVERY = 100;

export interface ThreadListener {
  /** Entries were added to the history. */
  grew(entries: Entry[]): void;
  /** The history is another than before. */
  replaced(): void;
  /** What is live changed. */
  live(): void;
  failed(problem: unknown): void;
}

export class Thread {
  readonly member: string;
  readonly entries: Entry[] = [];
  private readonly team: string;
  private readonly ask: Ask;
  private readonly listener: ThreadListener;
  private next = 0;
  /** The turn that ran when this began to listen: its beginning was not heard. */
  private joined: string | undefined;
  private readonly texts = new Map<string, TurnText>();
  private readonly ended = new Set<string>();
  private readonly calls = new Map<string, LiveCall>();
  /** The calls whose results the history has: what is heard of them comes too late. */
  private readonly done = new Set<string>();
  private waiting: string[] = [];
  private reading: Promise<void> | undefined;
  private again = false;
  private closed = false;

  constructor(
    member: string,
    team: string,
    runningTurn: string | undefined,
    ask: Ask,
    listener: ThreadListener,
  ) {
    this.member = member;
    this.team = team;
    this.joined = runningTurn;
    this.ask = ask;
    this.listener = listener;
  }

  get live(): Live {
    const text = [...this.texts.values()].map((one) => one.rest).join("");
    return { text, calls: [...this.calls.values()], waiting: this.waiting };
  }

  /** Reads what came into the history; also again, when that is asked for meanwhile. */
  read(): Promise<void> {
    this.again = true;
    this.reading ??= this.readAll().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /** Starts anew, as after a time without events. */
  async reread(runningTurn: string | undefined): Promise<void> {
    this.entries.length = 0;
    this.next = 0;
    this.joined = runningTurn;
    this.texts.clear();
    this.ended.clear();
    this.calls.clear();
    this.done.clear();
    this.listener.replaced();
    await this.read();
  }

  /** A prompt is on its way; it is in the history only once the member takes it up. */
  sending(text: string): void {
    this.waiting.push(text);
    this.listener.live();
  }

  /** A prompt was refused. */
  refused(text: string): void {
    this.waiting.splice(this.waiting.lastIndexOf(text), 1);
    this.listener.live();
  }

  take({ event }: EventParams): void {
    switch (event.kind) {
      case "text":
        if (event.member !== this.member) return;
        this.textOf(event.turnId).hear(event.text);
        this.listener.live();
        return;
      case "turnRestarted":
        if (event.member !== this.member) return;
        this.textOf(event.turnId).discard(event.discardedText);
        this.listener.live();
        return;
      case "toolStarted": {
        const { toolUseId: id, name, description } = event;
        if (event.member !== this.member || this.done.has(id)) return;
        this.calls.set(id, { id, name, description });
        this.listener.live();
        break;
      }
      case "toolFinished": {
        if (event.member !== this.member) return;
        const { toolUseId: id, content, isError } = event;
        const call = this.calls.get(id);
        if (call) this.calls.set(id, { ...call, result: { content, isError } });
        this.listener.live();
        break;
      }
      case "turnEnded":
        if (event.member !== this.member) return;
        this.ended.add(event.turnId);
        break;
      case "compacted":
        if (event.member !== this.member) return;
        break;
      case "conversationChanged":
        // What was shown is another's; no turn runs while that happens.
        if (event.member === this.member) void this.reread(undefined);
        return;
      case "memberChanged":
        if (event.member.agentId !== this.member) return;
        break;
      case "message":
        if (event.to !== this.member) return;
        break;
      default:
        return;
    }
    void this.read();
  }

  close(): void {
    this.closed = true;
  }

  private async readAll(): Promise<void> {
    try {
      while (this.again && !this.closed) {
        this.again = false;
        await this.readOnce();
        if (this.again) await new Promise((resolve) => setTimeout(resolve, READ_EVERY));
      }
    } catch (problem) {
      if (!this.closed) this.listener.failed(problem);
    }
  }

  private async readOnce(): Promise<void> {
    const from = this.next;
    const over = [...this.ended];
    const params = { member: this.member.split("@")[0], team: this.team, after: from, limit: PAGE };
    const { entries, next } = await this.ask<TranscriptResult>("swarm/transcript", params);
    // It was begun anew meanwhile, and is read again for that.
    if (this.closed || this.next !== from) return;
    this.next = next;
    this.entries.push(...entries);
    for (const entry of entries) this.trim(entry);
    const more = entries.length >= PAGE;
    if (!more) for (const turn of over) this.forget(turn);
    if (entries.length > 0) this.listener.grew(entries);
    if (entries.length > 0 || over.length > 0) this.listener.live();
    if (more) this.again = true;
  }

  /** Takes what the entry says out of what is live. */
  private trim(entry: Entry): void {
    switch (entry.role) {
      case "user":
        this.waiting = this.waiting.filter((prompt) => !entry.text.includes(prompt));
        break;
      case "assistant":
        if (entry.turnId === undefined) return;
        for (const block of entry.content) {
          if (block.type === "text") this.textOf(entry.turnId).tell(block.text);
        }
        break;
      case "results":
        for (const { toolUseId } of entry.results) {
          this.done.add(toolUseId);
          this.calls.delete(toolUseId);
        }
        break;
      case "ended":
        this.calls.clear();
        break;
    }
  }

  private textOf(turn: string): TurnText {
    let text = this.texts.get(turn);
    if (!text) {
      text = new TurnText(turn !== this.joined);
      this.texts.set(turn, text);
    }
    return text;
  }

  /** What was heard of a turn that is over is in the history, or was given up. */
  private forget(turn: string): void {
    this.texts.delete(turn);
    this.ended.delete(turn);
  }
}
