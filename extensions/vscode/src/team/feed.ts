// Keeps the model true: events in their order, and the whole state where one is missing.
import type { EventParams, StateResult } from "../protocol.ts";
import type { TeamModel } from "./model.ts";

/** Asks the server; rejects when it cannot answer. */
export type Ask = <R>(method: string, params: unknown) => Promise<R>;

export interface FeedListener {
  /** The whole state was read anew: whatever was derived from events may lack some. */
  healed(): void;
  /** An event that was applied, in order. */
  event(params: EventParams): void;
  /** The state could not be read. */
  lost(problem: unknown): void;
}

export class Feed {
  private readonly model: TeamModel;
  private readonly ask: Ask;
  private readonly listener: FeedListener;
  /** Events that came while the state was asked for; none is being asked for when absent. */
  private waiting: EventParams[] | undefined;
  private ended = false;

  constructor(model: TeamModel, ask: Ask, listener: FeedListener) {
    this.model = model;
    this.ask = ask;
    this.listener = listener;
  }

  /** Reads the whole state, then goes on with what came meanwhile. */
  async heal(): Promise<void> {
    if (this.waiting || this.ended) return;
    this.waiting = [];
    let state: StateResult;
    try {
      state = await this.ask<StateResult>("swarm/state", {});
    } catch (problem) {
      this.waiting = undefined;
      if (!this.ended) this.listener.lost(problem);
      return;
    }
    if (this.ended) return;
    const waiting = this.waiting;
    this.waiting = undefined;
    this.model.replace(state);
    this.listener.healed();
    for (const event of waiting) this.take(event);
  }

  take(params: EventParams): void {
    if (this.ended) return;
    if (this.waiting) {
      this.waiting.push(params);
      return;
    }
    const place = this.model.place(params);
    if (place === "known") return;
    const understood = place === "next" && this.model.apply(params) === "done";
    if (place === "next") this.listener.event(params);
    if (!understood) void this.heal();
  }

  /** Nothing more is taken: the connection is gone. */
  end(): void {
    this.ended = true;
  }
}
