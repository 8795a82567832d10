// Is our design worth its parts? One Zipf trace over many data centres, through our own code and
// through three simpler designs: hit ratios, reads per tier, staleness, and what a million
// downloads cost. Virtual time; the same numbers in every run. Assumptions stand in
// simulate/latencies.ts and simulate/prices.ts, the reading of the table in README.md.
import { printTable } from './lib/table.ts';
import type { MakeDesign } from './simulate/design.ts';
import { costOf, PRICES_READ_ON } from './simulate/prices.ts';
import { createQuayside, NO_KV, NO_PAGES, TODAY } from './simulate/quayside-design.ts';
import { type Report, runDesign, type Scenario } from './simulate/run-design.ts';
import {
  createBucketAlone,
  createCacheApiFront,
  createWorkersCacheFront,
} from './simulate/simple-designs.ts';

const MiB = 2 ** 20;

/** Hundreds of isolates in a hundred places. */
const COMMON = {
  isolates: 300,
  isolateLifeSeconds: 1800,
  placeBytes: 64 * MiB,
  upperBytes: 256 * MiB,
  warmUpShare: 0.25,
  isCapped: false,
} satisfies Partial<Scenario>;

const TRACE = {
  exponent: 0.9,
  places: 100,
  buckets: 1,
  rampSeconds: 0,
  sizes: { medianBytes: 32 * 1024, sigma: 1.7, maxBytes: 32 * MiB },
  regionalSkew: 0.2,
  missingShare: 0.01,
  overwriteShare: 0,
  seed: 20261121,
} satisfies Partial<Scenario['trace']>;

/** A few files that everybody wants. */
const HOT = {
  ...TRACE,
  objects: 100,
  exponent: 1.1,
  requests: 48_000,
  requestsPerSecond: 300,
  overwriteShare: 0.0005,
};
/** Many files that nobody wants more than others, by more readers than one object likes. */
const FLAT = { ...TRACE, exponent: 0, requestsPerSecond: 2000, regionalSkew: 0 };

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  hot: { ...COMMON, trace: HOT },
  /** Traffic of `hot`, while the account has a cap that it comes nowhere near. */
  capped: {
    ...COMMON,
    warmUpShare: 0,
    isCapped: true,
    trace: { ...HOT, requests: 24_000 },
  },
  /** Many files with much traffic. */
  busy: {
    ...COMMON,
    trace: {
      ...TRACE,
      objects: 2000,
      requests: 24_000,
      requestsPerSecond: 150,
      overwriteShare: 0.001,
    },
  },
  /** The traffic of `busy`, when it has gone on for a while. */
  'busy-long': {
    ...COMMON,
    warmUpShare: 0.6,
    trace: {
      ...TRACE,
      objects: 2000,
      requests: 120_000,
      requestsPerSecond: 150,
      overwriteShare: 0.001,
    },
  },
  /** The files of `busy` with little traffic. */
  quiet: {
    ...COMMON,
    trace: { ...TRACE, objects: 2000, requests: 8000, requestsPerSecond: 3, overwriteShare: 0.005 },
  },
  /** A start with nothing anywhere, which is what a crawler or a new site is to the tiers. */
  cold: {
    ...COMMON,
    warmUpShare: 0,
    trace: {
      ...TRACE,
      objects: 6000,
      requests: 24_000,
      requestsPerSecond: 200,
      overwriteShare: 0.001,
    },
  },
  /** More readers than one Durable Object likes. */
  flood: {
    ...COMMON,
    isolates: 600,
    // Until the valve has opened and KV has the keys everywhere.
    warmUpShare: 0.6,
    trace: {
      ...TRACE,
      objects: 200,
      exponent: 1.2,
      requests: 160_000,
      requestsPerSecond: 2000,
      overwriteShare: 0.0002,
    },
  },
  /** One visit of each isolate. */
  lone: {
    ...COMMON,
    isolateLifeSeconds: 0,
    trace: { ...TRACE, objects: 1000, requests: 4000, requestsPerSecond: 20 },
  },
  flat: {
    ...COMMON,
    isolates: 600,
    trace: { ...FLAT, objects: 5000, requests: 80_000 },
  },
  'flat-million': {
    ...COMMON,
    isolates: 600,
    trace: { ...FLAT, objects: 1_000_000, requests: 40_000 },
  },
  /** From nobody to 10,000 readers a second in ten seconds. */
  launch: {
    ...COMMON,
    isolates: 1000,
    warmUpShare: 0,
    trace: {
      ...TRACE,
      objects: 50,
      exponent: 1,
      requests: 80_000,
      requestsPerSecond: 10_000,
      rampSeconds: 10,
    },
  },
  /** Keys that a stranger makes up. */
  stranger: {
    ...COMMON,
    trace: { ...TRACE, objects: 100, requests: 20_000, requestsPerSecond: 500, missingShare: 1 },
  },
  /** 10,000 buckets of one account, each with one visit an hour. */
  buckets: {
    ...COMMON,
    warmUpShare: 0,
    trace: {
      ...TRACE,
      objects: 10_000,
      buckets: 10_000,
      exponent: 0,
      requests: 600,
      requestsPerSecond: 10_000 / 3600,
    },
  },
};

const SIMPLE: Readonly<Record<string, MakeDesign>> = {
  '(a) R2 alone': createBucketAlone,
  '(b) Cache API by URL, 60 s': createCacheApiFront(60),
  '(c) Workers Cache in front, 60 s': createWorkersCacheFront(60, { isPurging: false }),
  '(c) 60 s, purging': createWorkersCacheFront(60, { isPurging: true }),
  '(c) 5 s': createWorkersCacheFront(5, { isPurging: false }),
};

/** Everything that was weighed against what is built. */
const DESIGNS: Readonly<Record<string, MakeDesign>> = {
  ...SIMPLE,
  today: createQuayside(TODAY),
  'today, no pages of neighbours': createQuayside({ ...TODAY, limits: NO_PAGES }),
  'today, no relays': createQuayside({ ...TODAY, hasRelays: false }),
  'today, strict': createQuayside({ ...TODAY, metadata: 'strict' }),
  'today, kv': createQuayside({ ...TODAY, metadata: 'kv' }),
  'today, bodies in the Cache API': createQuayside({ ...TODAY, bodies: ['cache-api'] }),
  'today, Cache API before Workers Cache': createQuayside({
    ...TODAY,
    bodies: ['cache-api', 'workers-cache'],
  }),
  'today, no body memory': createQuayside({ ...TODAY, hasBodyMemory: false }),
  'today, fresh 5 s, none behind the answer': createQuayside({
    ...TODAY,
    pointerFreshSeconds: 5,
    staleWhileRevalidateSeconds: 0,
  }),
  'today, 5 s more behind the answer': createQuayside({ ...TODAY, staleWhileRevalidateSeconds: 7 }),
  'today, fresh 60 s': createQuayside({ ...TODAY, pointerFreshSeconds: 60 }),
};

const FEW_DESIGNS: Readonly<Record<string, MakeDesign>> = {
  '(a) R2 alone': createBucketAlone,
  '(c) 5 s': createWorkersCacheFront(5, { isPurging: false }),
  today: createQuayside(TODAY),
};

const FLOOD_DESIGNS: Readonly<Record<string, MakeDesign>> = {
  '(c) Workers Cache in front, 60 s': createWorkersCacheFront(60, { isPurging: false }),
  '(c) 5 s': createWorkersCacheFront(5, { isPurging: false }),
  today: createQuayside(TODAY),
  'today, no KV': createQuayside({ ...TODAY, limits: NO_KV }),
  'today, no pages of neighbours': createQuayside({ ...TODAY, limits: NO_PAGES }),
  'today, strict': createQuayside({ ...TODAY, metadata: 'strict' }),
  'today, kv': createQuayside({ ...TODAY, metadata: 'kv' }),
};

/** `--variants`: everything that was weighed against what is built; it takes minutes more. */
const designs = process.argv.includes('--variants') ? DESIGNS : FEW_DESIGNS;
/** `--today`: what is built alone. */
const isTodayAlone = process.argv.includes('--today');
const DESIGNS_OF: Readonly<Record<string, Readonly<Record<string, MakeDesign>>>> = {
  hot: designs,
  busy: designs,
  quiet: designs,
  flood: process.argv.includes('--variants') ? FLOOD_DESIGNS : FEW_DESIGNS,
};

const percent = (part: number, whole: number) =>
  whole === 0 ? '' : ((part / whole) * 100).toFixed(1);
const perThousand = (part: number, whole: number) => ((part / whole) * 1000).toFixed(0);
const seconds = (value: number) => value.toFixed(1);

function printReads(reports: ReadonlyMap<string, Report>): void {
  const head = [
    'design',
    'no I/O %',
    'no I/O below the place %',
    'body from isolate %',
    'place %',
    'R2 %',
    'upper hits',
  ];
  const reads = ['R2 reads', 'index reads', 'relay reads', 'KV names', 'KV answers', 'KV writes'];
  const rows = [...reports].map(([name, { usage, answers, immediate }]) => {
    const bodies = usage.fromMemory + usage.fromEdge + usage.fromBucket;
    return [
      name,
      percent(immediate, answers),
      percent(usage.memoryAnswers + usage.placeAnswers, answers),
      percent(usage.fromMemory, bodies),
      percent(usage.fromEdge, bodies),
      percent(usage.fromBucket, bodies),
      ...[
        usage.upperHits,
        usage.classB,
        usage.indexReads,
        usage.relayReads,
        usage.kvReads,
        usage.kvAnswers,
        usage.kvWrites,
      ].map((count) => perThousand(count, answers)),
    ];
  });
  printTable([[...head, ...reads], ...rows]);
}

/**
 * The simple designs that are no worse than this one on R2's share, price and share of stale
 * answers together.
 */
function beatenBy(name: string, reports: ReadonlyMap<string, Report>): string {
  const measures = ({ usage, answers, stale }: Report) =>
    [usage.fromBucket, costOf(usage).total, stale.answers].map((count) => count / answers);
  const own = reports.get(name);
  if (own === undefined || name.startsWith('(')) return '';
  const limits = measures(own);
  const isNoWorse = (other: Report) =>
    measures(other).every((value, at) => value <= (limits[at] ?? 0));
  const names = [...reports].filter(
    ([other, report]) => other.startsWith('(') && isNoWorse(report),
  );
  return names.map(([other]) => other).join('; ') || 'none';
}

function printCosts(reports: ReadonlyMap<string, Report>): void {
  const head = [
    'design',
    'stale %',
    'stale s: median',
    'p99',
    'max',
    'wait ms: median',
    'p99',
    'refused %',
    'index calls in the busiest s',
    'ledger calls in it',
  ];
  const products = ['Workers $', 'KV $', 'index $', 'R2 $', 'ledger $', 'logs $'];
  const money = [...products, '$ a million', 'beaten on all three by'];
  const rows = [...reports].map(([name, report]) => {
    const { usage, answers, stale, waitMs } = report;
    const cost = costOf(usage);
    const ofMillion = (usd: number) => ((usd / answers) * 1e6).toFixed(2);
    return [
      name,
      ((stale.answers / answers) * 100).toFixed(2),
      seconds(stale.median),
      seconds(stale.p99),
      seconds(stale.max),
      waitMs.median.toFixed(0),
      waitMs.p99.toFixed(0),
      percent(usage.refusedReads, answers),
      report.busiestSecond,
      report.busiestLedgerSecond,
      ...[cost.workers, cost.kv, cost.objects, cost.r2, cost.ledger, cost.logs, cost.total].map(
        ofMillion,
      ),
      beatenBy(name, reports),
    ];
  });
  printTable([[...head, ...money], ...rows]);
}

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const unknown = wanted.filter((name) => !Object.hasOwn(SCENARIOS, name));
if (unknown.length > 0) {
  const names = Object.keys(SCENARIOS).join(', ');
  throw new Error(`No such scenario: ${unknown.join(', ')}. There are: ${names}`);
}

process.stdout.write(`Prices read on ${PRICES_READ_ON}.\n`);
for (const [name, scenario] of Object.entries(SCENARIOS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { objects, requests, requestsPerSecond, places, overwriteShare } = scenario.trace;
  process.stdout.write(
    `\n### ${name}: ${objects} objects, ${requestsPerSecond.toFixed(0)} requests/s over ` +
      `${places} places and ${scenario.isolates} isolates, ${requests} requests, ` +
      `${overwriteShare * 100} % overwrites\n\n`,
  );
  const reports = new Map<string, Report>();
  for (const [design, make] of Object.entries(DESIGNS_OF[name] ?? FEW_DESIGNS)) {
    if (isTodayAlone && design !== 'today') continue;
    reports.set(design, await runDesign(make, scenario));
  }
  printReads(reports);
  process.stdout.write('\n');
  printCosts(reports);
}
