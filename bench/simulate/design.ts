// What a design is to the simulator, and the world that it is given to live in.
import type { Usage } from './prices.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';
import type { TraceOptions } from './trace.ts';
import type { Truth } from './truth.ts';

export type World = {
  readonly timeline: Timeline;
  readonly usage: Usage;
  readonly random: Random;
  readonly truth: Truth;
  readonly trace: TraceOptions;
  /** Size of each object, bytes. */
  readonly catalogue: readonly number[];
  /** Isolates of all places: each place has some by its share of the traffic, one at least. */
  readonly isolates: number;
  /**
   * How long an isolate lives on average before the runtime makes another in its place; 0: each
   * request has one of its own.
   */
  readonly isolateLifeSeconds: number;
  /** Whether the account has a cap, which it comes nowhere near. */
  readonly isCapped: boolean;
  /** What each place keeps for us, and the upper tier, bytes. */
  readonly placeBytes: number;
  readonly upperBytes: number;
};

export type Design = {
  /**
   * The etag that a reader in that place gets, null for "no such key" and for what a cap refused.
   * No promise when no I/O was needed.
   */
  read(place: number, object: number): string | null | Promise<string | null>;
  /** Overwrites an object from that place; resolves when the writer has his answer. */
  write(place: number, object: number): Promise<void>;
  /** Requests of its Durable Object in the busiest second; 0 where there is none. */
  busiestSecond(): number;
  /** Calls of the ledger in the busiest second. */
  busiestLedgerSecond(): number;
  close(): void;
};

export type MakeDesign = (world: World) => Design;
