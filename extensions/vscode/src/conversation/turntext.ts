// The text of one turn that is not in the history yet. Streamed text and history come by different ways, and
// either may be ahead. Pure.

/** So many characters that fit are no chance. */
const NO_CHANCE = 8;

export class TurnText {
  /** What was heard of the stream, and from where in the turn's text on; unknown for who came in the middle. */
  private heard = "";
  private start: number | undefined;
  /** What the history has. */
  private told = "";

  constructor(fromTheBeginning: boolean) {
    if (fromTheBeginning) this.start = 0;
  }

  hear(text: string): void {
    this.heard += text;
    this.align();
  }

  /** A stream broke and is tried again. */
  discard(text: string): void {
    if (text !== "" && this.heard.endsWith(text)) this.heard = this.heard.slice(0, -text.length);
  }

  tell(text: string): void {
    this.told += text;
    this.align();
  }

  /** What was heard and the history does not have. */
  get rest(): string {
    return this.start === undefined
      ? this.heard
      : this.heard.slice(Math.max(0, this.told.length - this.start));
  }

  private align(): void {
    const { told, heard, start } = this;
    if (start !== undefined) {
      // Both say the same as far as they overlap; if they do not, the history is right.
      const both = Math.max(0, Math.min(heard.length, told.length - start));
      if (told.slice(start, start + both) !== heard.slice(0, both)) this.start = told.length - heard.length;
    } else if (told !== "" && heard !== "") {
      this.start = placeIn(told, heard);
    }
  }
}

/** Where in `told`, or over its end, `heard` begins; nothing where they have too little in common. */
function placeIn(told: string, heard: string): number | undefined {
  const within = told.lastIndexOf(heard);
  if (within >= 0) return within;
  for (let length = Math.min(told.length, heard.length); length > 0; length -= 1) {
    if (length < NO_CHANCE && length < told.length) return undefined;
    if (told.endsWith(heard.slice(0, length))) return told.length - length;
  }
  return undefined;
}
