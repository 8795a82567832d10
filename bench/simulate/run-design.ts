// Sends one trace through one design and reports what it cost, how long readers waited and how
// stale they were served. The first part of the trace only warms the tiers up.
import type { Design, MakeDesign, World } from './design.ts';
import { withLightResponse } from './light-response.ts';
import { createObserver, type Observations } from './observer.ts';
import { createUsage, type Usage, usedSince } from './prices.ts';
import { createRandom } from './random.ts';
import { createTimeline } from './timeline.ts';
import { makeCatalogue, makeTrace, type TraceEvent } from './trace.ts';
import { createTruth } from './truth.ts';
import { withVirtualTimers } from './virtual-timers.ts';

export type Scenario = Omit<World, 'timeline' | 'usage' | 'random' | 'truth' | 'catalogue'> & {
  /** Share of the reads that is not counted. */
  readonly warmUpShare: number;
};

export type Report = {
  readonly usage: Usage;
  readonly busiestSecond: number;
  readonly busiestLedgerSecond: number;
} & Observations;

/** What goes on behind the last answers is billed too: flushes of usage, writes to KV. */
const AFTERMATH_MS = 90_000;

/** Any fixed day: nothing hangs on it. */
const START_MS = Date.UTC(2026, 10, 20);

export function runDesign(make: MakeDesign, scenario: Scenario): Promise<Report> {
  return withLightResponse(async () => {
    const timeline = createTimeline(START_MS);
    const world: World = {
      ...scenario,
      timeline,
      usage: createUsage(),
      random: createRandom(scenario.trace.seed + 2),
      truth: createTruth(),
      catalogue: makeCatalogue(scenario.trace),
    };
    return withVirtualTimers(timeline, async () => {
      const design = make(world);
      try {
        return await play(world, design, scenario);
      } finally {
        design.close();
      }
    });
  });
}

async function play(world: World, design: Design, scenario: Scenario): Promise<Report> {
  const { timeline, usage, truth, trace } = world;
  const events = makeTrace(trace);
  const warmUpReads = Math.floor(trace.requests * scenario.warmUpShare);
  const observer = createObserver(truth);
  let before = { ...usage };
  let reads = 0;
  let open = 0;
  let failure: { readonly cause: unknown } | null = null;

  async function track(work: Promise<void>): Promise<void> {
    open += 1;
    try {
      await work;
    } catch (cause) {
      failure ??= { cause };
    } finally {
      open -= 1;
    }
  }

  function read({ place, object }: TraceEvent): void {
    if (reads++ === warmUpReads) before = { ...usage };
    const isCounted = reads > warmUpReads;
    const askedAtMs = timeline.nowMs();
    const answer = design.read(place, object);
    if (!(answer instanceof Promise)) {
      if (isCounted) observer.saw(answer, askedAtMs, askedAtMs, true);
      return;
    }
    void track(
      answer.then((etag) => {
        if (isCounted) observer.saw(etag, askedAtMs, timeline.nowMs(), false);
      }),
    );
  }

  function next(): void {
    const { value: event } = events.next();
    if (event === undefined) return;
    open += 1;
    timeline.at(START_MS + event.atMs, () => {
      open -= 1;
      if (event.kind === 'read') read(event);
      else void track(design.write(event.place, event.object));
      next();
    });
  }

  next();
  while (open > 0 && failure === null && (await timeline.step()));
  if (failure !== null) throw new Error('A simulated request failed.', failure);
  const endMs = timeline.nowMs() + AFTERMATH_MS;
  while (timeline.nowMs() < endMs && (await timeline.step()));
  return {
    usage: usedSince(usage, before),
    busiestSecond: design.busiestSecond(),
    busiestLedgerSecond: design.busiestLedgerSecond(),
    ...observer.report(),
  };
}
