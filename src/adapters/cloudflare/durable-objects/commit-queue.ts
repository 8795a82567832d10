// Commits that come at once are run together, because each row that they share costs
// a row written but once (index/command-group.ts). A commit that comes alone runs at
// once; behind another one it waits some milliseconds for more. Called by
// bucket-object.ts.

/** A commit so soon behind another one waits for more, milliseconds. */
export const DENSE_MS = 8;
/** How long it waits. At 500 commits a second four come together. */
const WAIT_MS = 8;
/** Commits of one group: some 100 µs each. */
const GROUP_MAX = 64;

export type CommitQueue<Input, Reply> = {
  add(input: Input): Reply | Promise<Reply>;
};

/** `runAll` gives a reply to each input, in order, and never throws. */
export function createCommitQueue<Input, Reply>(
  nowMs: () => number,
  runAll: (inputs: readonly Input[]) => readonly Reply[],
): CommitQueue<Input, Reply> {
  let waiting: { readonly input: Input; readonly resolve: (reply: Reply) => void }[] = [];
  let lastMs = Number.NEGATIVE_INFINITY;

  function drain(): void {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    const replies = runAll(group.map(({ input }) => input));
    for (const [at, { resolve }] of group.entries()) resolve(replies[at] as Reply);
  }

  return {
    add(input) {
      const isDense = waiting.length > 0 || nowMs() - lastMs < DENSE_MS;
      lastMs = nowMs();
      if (!isDense) return runAll([input])[0] as Reply;
      const reply = new Promise<Reply>((resolve) => void waiting.push({ input, resolve }));
      if (waiting.length === 1) setTimeout(drain, WAIT_MS);
      else if (waiting.length === GROUP_MAX) drain();
      return reply;
    },
  };
}
