// Waiting for what must come to be.
const MOST_MILLISECONDS = 20_000;

/** The first true value of `look`, which may throw until then; else an error that says what was there instead. */
export async function eventually(what, look, instead = () => "", within = MOST_MILLISECONDS) {
  const end = Date.now() + within;
  let problem;
  for (;;) {
    try {
      const found = await look();
      if (found) return found;
      problem = undefined;
    } catch (error) {
      problem = error;
    }
    if (Date.now() > end) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not come in ${within} ms: ${problem ?? JSON.stringify(await instead())}`);
}
