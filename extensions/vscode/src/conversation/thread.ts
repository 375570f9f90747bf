// One member's conversation: the history that the server keeps, and what has happened since its last entry.
// Knows no editor. The history is the truth; what is live is trimmed by each entry that comes.
import type { Entry, EventParams, TranscriptResult } from "../protocol.ts";
import type { Ask } from "../team/feed.ts";
import type { Live, LiveCall } from "./messages.ts";

/** How many entries are asked for at once. */
const PAGE = 1000;

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
  private text = "";
  private readonly calls = new Map<string, LiveCall>();
  private waiting: string[] = [];
  private reading: Promise<void> | undefined;
  private again = false;
  private closed = false;

  constructor(member: string, team: string, ask: Ask, listener: ThreadListener) {
    this.member = member;
    this.team = team;
    this.ask = ask;
    this.listener = listener;
  }

  get live(): Live {
    return { text: this.text, calls: [...this.calls.values()], waiting: this.waiting };
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
  async reread(): Promise<void> {
    this.entries.length = 0;
    this.next = 0;
    this.text = "";
    this.calls.clear();
    this.listener.replaced();
    await this.read();
  }

  /** A prompt was taken by the server; it is in the history only once the member takes it up. */
  sent(text: string): void {
    this.waiting.push(text);
    this.listener.live();
    void this.read();
  }

  take({ event }: EventParams): void {
    switch (event.kind) {
      case "text":
        if (event.member !== this.member) return;
        this.text += event.text;
        this.listener.live();
        return;
      case "turnRestarted":
        if (event.member !== this.member) return;
        if (this.text.endsWith(event.discardedText))
          this.text = this.text.slice(0, -event.discardedText.length || undefined);
        this.listener.live();
        return;
      case "toolStarted": {
        if (event.member !== this.member) return;
        const { toolUseId: id, name, description } = event;
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
      case "compacted":
        if (event.member !== this.member) return;
        break;
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
      }
    } catch (problem) {
      if (!this.closed) this.listener.failed(problem);
    }
  }

  private async readOnce(): Promise<void> {
    const from = this.next;
    const params = { member: this.member.split("@")[0], team: this.team, after: from, limit: PAGE };
    const { entries, next } = await this.ask<TranscriptResult>("swarm/transcript", params);
    // Another reading began it anew meanwhile, which then reads again.
    if (this.closed || this.next !== from) return;
    this.next = next;
    if (entries.length === 0) return;
    this.entries.push(...entries);
    for (const entry of entries) this.trim(entry);
    this.listener.grew(entries);
    this.listener.live();
    if (entries.length >= PAGE) this.again = true;
  }

  /** Takes what the entry says out of what is live. */
  private trim(entry: Entry): void {
    switch (entry.role) {
      case "user":
        this.waiting = this.waiting.filter((prompt) => !entry.text.includes(prompt));
        break;
      case "assistant":
        for (const block of entry.content) {
          if (block.type === "text") this.text = without(this.text, block.text);
        }
        break;
      case "results":
        for (const result of entry.results) this.calls.delete(result.toolUseId);
        break;
      case "ended":
        this.text = "";
        this.calls.clear();
        break;
    }
  }
}

/** So many characters that fit are no chance. */
const NO_CHANCE = 8;

/**
 * `live` without its beginning, as far as that is the end of `said`. Who listens from the middle of a text has
 * only its end; who heard more has the next text already.
 */
export function without(live: string, said: string): string {
  for (let length = Math.min(live.length, said.length); length > 0; length -= 1) {
    const whole = length === live.length || length === said.length;
    if (!whole && length < NO_CHANCE) return live;
    if (said.endsWith(live.slice(0, length))) return live.slice(length);
  }
  return live;
}
