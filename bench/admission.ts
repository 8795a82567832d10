// Does the memory tier of bodies need a door-keeper? Hit ratio of a Zipf trace for plain LRU and
// some candidates (simulate/admission-policies.ts): as it is, with a scan of cold objects mixed
// in, and when other objects become hot, as after a release. The same numbers in every run, times
// apart.
import { printTable } from './lib/table.ts';
import {
  createAgedCounts,
  createLru,
  createSecondRequest,
  createSegmented,
  createTinyLfu,
  type Policy,
} from './simulate/admission-policies.ts';
import { createRandom, createZipf, drawSize } from './simulate/random.ts';

const MiB = 2 ** 20;
const OBJECTS = 20_000;
/** Bodies above it never come into the tier. Source: src/config/defaults.ts, MEMORY_DEFAULTS. */
const SIZES = { medianBytes: 32 * 1024, sigma: 1.7, maxBytes: MiB };
const REQUESTS = 300_000;
/** The scan goes on during the middle third: one cold object after each request of the trace. */
const SCAN_FROM = REQUESTS / 3;
const SCAN_TO = (2 * REQUESTS) / 3;
/** How long after the scan, or after a change of what is hot, the harm still shows: requests. */
const AFTER = 10_000;
/** From so many requests after a change on it should be learned. */
const LEARNED_AFTER = 50_000;

type Disturbance = 'none' | 'scan' | 'change';

const POLICIES: Readonly<Record<string, (maxBytes: number) => Policy>> = {
  'plain LRU': createLru,
  'second request': createSecondRequest,
  'segmented LRU': createSegmented,
  TinyLFU: createTinyLfu,
  'aged counts': createAgedCounts,
};

type Hits = {
  all: number;
  before: number;
  during: number;
  after: number;
  learned: number;
  micros: number;
};

function run(policy: Policy, exponent: number, disturbance: Disturbance): Hits {
  const random = createRandom(7);
  const sizes = Array.from({ length: OBJECTS }, () => drawSize(SIZES, random));
  const draw = createZipf(OBJECTS, exponent, random);
  const coldRandom = createRandom(8);
  const hits: Hits = { all: 0, before: 0, during: 0, after: 0, learned: 0, micros: 0 };
  const startMs = performance.now();
  for (let request = 0; request < REQUESTS; request++) {
    // The same law of popularity over other objects.
    const turn = disturbance === 'change' && request >= SCAN_TO ? OBJECTS / 2 : 0;
    const key = (draw() + turn) % OBJECTS;
    const isScanning = request >= SCAN_FROM && request < SCAN_TO;
    if (disturbance === 'scan' && isScanning)
      policy(OBJECTS + request, drawSize(SIZES, coldRandom));
    if (!policy(key, sizes[key] ?? 0)) continue;
    hits.all += 1;
    if (request >= SCAN_FROM - AFTER && request < SCAN_FROM) hits.before += 1;
    if (isScanning) hits.during += 1;
    if (request >= SCAN_TO && request < SCAN_TO + AFTER) hits.after += 1;
    if (request >= SCAN_TO + LEARNED_AFTER) hits.learned += 1;
  }
  hits.micros = ((performance.now() - startMs) * 1000) / REQUESTS;
  return hits;
}

const percent = (part: number, whole: number) => ((part / whole) * 100).toFixed(1);
const rows: (string | number)[][] = [
  [
    'budget',
    'exponent',
    'policy',
    'no scan %',
    'just before the scan %',
    'during %',
    'just after %',
    'after a change %',
    'later %',
    'µs a request',
  ],
];
for (const maxBytes of [24 * MiB, 40 * MiB, 256 * MiB]) {
  for (const exponent of [0.8, 1.0]) {
    for (const [name, create] of Object.entries(POLICIES)) {
      const calm = run(create(maxBytes), exponent, 'none');
      const scanned = run(create(maxBytes), exponent, 'scan');
      const changed = run(create(maxBytes), exponent, 'change');
      rows.push([
        `${maxBytes / MiB} MiB`,
        exponent.toFixed(1),
        name,
        percent(calm.all, REQUESTS),
        percent(scanned.before, AFTER),
        percent(scanned.during, SCAN_TO - SCAN_FROM),
        percent(scanned.after, AFTER),
        percent(changed.after, AFTER),
        percent(changed.learned, REQUESTS - SCAN_TO - LEARNED_AFTER),
        calm.micros.toFixed(2),
      ]);
    }
  }
}
printTable(rows);
