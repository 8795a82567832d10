// The protocol of the shared counters (src/adapters/node/index/change-counters.ts) as a model
// of its single steps, explored in all interleavings of two writers of one key and readers in
// two threads with a cache each. Each read must be linearizable: no read that begins after the
// response of a write shows what was before it, and none shows less than an earlier read did.
// Protocols with one rule left out must fail, which shows that the model sees such errors.
import { describe, expect, it } from 'vitest';

/** Which rules hold; the protocol has all of them. */
type Rules = {
  /** A change counts up before it is sent to the writer, not after its commit. */
  readonly countsFirst: boolean;
  /** A change is under way from before its count until its response. */
  readonly marksUnderWay: boolean;
  /** In `begin` the mark comes before the count. */
  readonly marksBeforeCount: boolean;
  /** A reader reads the count before the index. */
  readonly readsCountFirst: boolean;
};
const PROTOCOL: Rules = {
  countsFirst: true,
  marksUnderWay: true,
  marksBeforeCount: true,
  readsCountFirst: true,
};

type Cached = { readonly value: number; readonly count: number };
type State = {
  count: number;
  underWay: number;
  /** What a reader of the index sees: how many writes are committed. */
  committed: number;
  /** The least value that a read that begins now may show. */
  floor: number;
  /** One cache for each thread. */
  caches: (Cached | null)[];
  actors: Actor[];
  /** What a history showed that it must not. */
  error: string | null;
};
type Actor =
  | { kind: 'writer'; step: number; committedAs: number }
  | {
      kind: 'reader';
      thread: number;
      step: number;
      left: number;
      floorAtStart: number;
      count: number;
      isFree: boolean;
      value: number;
    };

type Writer = Extract<Actor, { kind: 'writer' }>;

/** The steps of a write, each one action on shared memory, the index or the client. */
function writerSteps(rules: Rules): ((state: State, writer: Writer) => void)[] {
  const mark = (state: State) => {
    if (rules.marksUnderWay) state.underWay += 1;
  };
  const count = (state: State) => {
    state.count += 1;
  };
  const commit = (state: State, writer: Writer) => {
    state.committed += 1;
    writer.committedAs = state.committed;
  };
  const unmark = (state: State) => {
    if (rules.marksUnderWay) state.underWay -= 1;
  };
  const begin = rules.marksBeforeCount ? [mark, count] : [count, mark];
  const steps = rules.countsFirst ? [...begin, commit, unmark] : [mark, commit, count, unmark];
  // From its response on everyone must see at least this write.
  const respond = (state: State, { committedAs }: Writer) => {
    state.floor = Math.max(state.floor, committedAs);
  };
  return [...steps, respond];
}

const NOTHING_READ = { count: 0, isFree: false, value: 0 };

/** Runs one step of a read; it ends by showing a value. */
function stepReader(state: State, reader: Extract<Actor, { kind: 'reader' }>, rules: Rules): void {
  const show = (value: number) => {
    if (value < reader.floorAtStart)
      state.error = `a read shows ${value} after ${reader.floorAtStart}`;
    // Whoever begins after this read may not see less.
    state.floor = Math.max(state.floor, value);
    // What a read knew means nothing to the next one: fewer states are different.
    Object.assign(reader, { step: 0, left: reader.left - 1, floorAtStart: 0, ...NOTHING_READ });
  };
  const readCount = () => {
    reader.count = state.count;
  };
  const readMark = () => {
    reader.isFree = state.underWay === 0;
  };
  const readIndex = () => {
    reader.value = state.committed;
  };
  const fill = () => {
    if (reader.isFree) state.caches[reader.thread] = { value: reader.value, count: reader.count };
  };
  const misses = rules.readsCountFirst
    ? [readCount, readMark, readIndex, fill]
    : [readIndex, readCount, readMark, fill];

  if (reader.step === 0) {
    reader.floorAtStart = state.floor;
    reader.step = 1;
    return;
  }
  if (reader.step === 1) {
    const cached = state.caches[reader.thread];
    // The one comparison of a hit.
    if (cached !== null && cached !== undefined && cached.count === state.count) show(cached.value);
    else reader.step = 2;
    return;
  }
  misses[reader.step - 2]?.();
  if (reader.step - 2 < misses.length - 1) reader.step += 1;
  else show(reader.value);
}

/** All states that can be reached; stops at the first error. */
function explore(rules: Rules, writers: number, readsOf: readonly number[]) {
  const steps = writerSteps(rules);
  const start: State = {
    count: 0,
    underWay: 0,
    committed: 0,
    floor: 0,
    caches: readsOf.map(() => null),
    actors: [
      ...Array.from(
        { length: writers },
        (): Actor => ({ kind: 'writer', step: 0, committedAs: 0 }),
      ),
      ...readsOf.map(
        (left, thread): Actor => ({
          kind: 'reader',
          thread,
          step: 0,
          left,
          floorAtStart: 0,
          ...NOTHING_READ,
        }),
      ),
    ],
    error: null,
  };
  const seen = new Set<string>();
  const waiting = [JSON.stringify(start)];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    for (const at of start.actors.keys()) {
      const next: State = JSON.parse(text);
      const actor = next.actors[at];
      if (actor === undefined) continue;
      if (actor.kind === 'writer') {
        const step = steps[actor.step];
        if (step === undefined) continue;
        step(next, actor);
        actor.step += 1;
      } else {
        if (actor.left === 0) continue;
        stepReader(next, actor, rules);
      }
      if (next.error !== null) return { states: seen.size, error: next.error };
      const name = JSON.stringify(next);
      if (seen.has(name)) continue;
      seen.add(name);
      waiting.push(name);
    }
  }
  return { states: seen.size, error: null };
}

describe('counters of changes', () => {
  it('show no reader of any thread the past, in all interleavings', { timeout: 60_000 }, () => {
    const oneWriter = explore(PROTOCOL, 1, [2, 2]);
    expect(oneWriter.error).toBeNull();
    expect(oneWriter.states).toBeGreaterThan(5000);
    const twoWriters = explore(PROTOCOL, 2, [2, 1]);
    expect(twoWriters.error).toBeNull();
    expect(twoWriters.states).toBeGreaterThan(5000);
  });

  it.each([
    ['counts only after the commit', { countsFirst: false }],
    ['marks no change as under way', { marksUnderWay: false }],
    ['marks it after counting', { marksBeforeCount: false }],
    ['reads the count after the index', { readsCountFirst: false }],
  ] as const)('would show the past if it %s', (_, change) => {
    const results = [
      explore({ ...PROTOCOL, ...change }, 1, [2, 2]),
      explore({ ...PROTOCOL, ...change }, 2, [2, 1]),
    ];
    expect(results.map(({ error }) => error)).toContainEqual(expect.stringContaining('a read'));
  });
});
