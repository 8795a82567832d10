// What is asked for, of whom, and what counts as good enough. Data only.

export type ServerName =
  | 'quayside, lane on'
  | 'quayside, lane off'
  | 'nginx'
  | 'proxy_cache'
  | 'varnish'
  | 'bare node:http'
  | 'bare node:net';

export const OURS = [
  'quayside, lane on',
  'quayside, lane off',
] as const satisfies readonly ServerName[];
const PEERS = ['nginx', 'proxy_cache', 'varnish'] as const satisfies readonly ServerName[];
/** What a server on these can't go below: floor-server.ts. */
export const FLOORS = ['bare node:http', 'bare node:net'] as const satisfies readonly ServerName[];

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** Files that every server gets, by name. */
export const FILE_BYTES = { '10k': 10 * KiB, '1m': MiB, '64m': 64 * MiB, '1g': GiB } as const;
export type FileName = keyof typeof FILE_BYTES;

export type Workload = {
  readonly name: string;
  readonly file: FileName;
  readonly connections: number;
  /** Bytes of an answer's body. */
  readonly bodyBytes: number;
  /** Sends the object's own entity tag in If-None-Match. */
  readonly isConditional?: boolean;
  /** Ranges of `bodyBytes` at any byte of the first so many of the file. */
  readonly rangesWithinBytes?: number;
  readonly peers: readonly ((typeof PEERS)[number] | (typeof FLOORS)[number])[];
};

/**
 * proxy_cache and Varnish are no peers for ranges of a file of 1 GiB: the one waits 44 ms for
 * nothing (measured 2026-11), the other would need the memory.
 */
export const WORKLOADS: readonly Workload[] = [
  {
    name: '10 KiB',
    file: '10k',
    connections: 64,
    bodyBytes: 10 * KiB,
    peers: [...PEERS, ...FLOORS],
  },
  {
    name: '304',
    file: '10k',
    connections: 64,
    bodyBytes: 0,
    isConditional: true,
    peers: [...PEERS, ...FLOORS],
  },
  {
    name: '1 MiB',
    file: '1m',
    connections: 64,
    bodyBytes: MiB,
    peers: [...PEERS, 'bare node:net'],
  },
  { name: '64 MiB', file: '64m', connections: 16, bodyBytes: 64 * MiB, peers: PEERS },
  {
    name: 'ranges anywhere',
    file: '1g',
    connections: 64,
    bodyBytes: 64 * KiB,
    rangesWithinBytes: GiB,
    peers: ['nginx', 'bare node:net'],
  },
  {
    name: 'ranges, hot part',
    file: '1g',
    connections: 64,
    bodyBytes: 64 * KiB,
    rangesWithinBytes: 16 * MiB,
    peers: ['nginx', 'bare node:net'],
  },
];

/**
 * `requests`: our requests a second by the peer's; `cpu`: the peer's CPU a request by ours; `p99`:
 * ours by the peer's.
 */
export type Measure = 'requests' | 'cpu' | 'p99';

export type Target = {
  readonly workload: string;
  readonly ours: (typeof OURS)[number];
  readonly peer: (typeof PEERS)[number];
  readonly measure: Measure;
  /** At least this ratio; for p99 at most. */
  readonly bound: number;
};

const on = OURS[0];
const off = OURS[1];

/** What delivery was built to reach. */
export const TARGETS: readonly Target[] = [
  { workload: '10 KiB', ours: on, peer: 'nginx', measure: 'requests', bound: 1 },
  { workload: '10 KiB', ours: on, peer: 'nginx', measure: 'cpu', bound: 1 },
  { workload: '10 KiB', ours: on, peer: 'nginx', measure: 'p99', bound: 2 },
  { workload: '10 KiB', ours: off, peer: 'proxy_cache', measure: 'requests', bound: 1 },
  { workload: '10 KiB', ours: off, peer: 'varnish', measure: 'requests', bound: 1 },
  { workload: '304', ours: on, peer: 'nginx', measure: 'requests', bound: 1 },
  { workload: '304', ours: off, peer: 'varnish', measure: 'requests', bound: 1.1 },
  { workload: '1 MiB', ours: on, peer: 'proxy_cache', measure: 'requests', bound: 1.5 },
  { workload: '1 MiB', ours: on, peer: 'varnish', measure: 'requests', bound: 1 },
  { workload: '64 MiB', ours: on, peer: 'nginx', measure: 'requests', bound: 1.5 },
  { workload: 'ranges anywhere', ours: on, peer: 'nginx', measure: 'requests', bound: 0.85 },
  { workload: 'ranges, hot part', ours: on, peer: 'nginx', measure: 'requests', bound: 0.85 },
];
