// What this isolate knows of KV: for which names the bucket's Durable Object has promised a record
// there, and from which sequence on one may be believed. do-metadata-index.ts notes what the object
// says with its replies; kv-hot-metadata.ts asks before it reads KV. Plain values only, shared
// between the requests of the isolate.
import { LRUCache } from 'lru-cache';
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import type { Clock } from '../../../ports/system.ts';
import { KV_LEASE_SECONDS, pointerName, readPolicyName } from './hot-records.ts';

/**
 * One name in KV: records older than `sequence` are not to be believed, and none after `untilMs`
 * (1970, milliseconds).
 */
export type Lease = { readonly sequence: number; readonly untilMs: number };

/**
 * What the object says with a reply of the read policy and of the keys that the call was about; null: KV
 * has none.
 */
export type LeaseNews = {
  readonly readPolicy: Lease | null;
  readonly keys: readonly { readonly key: ObjectKey; readonly lease: Lease | null }[];
};

export type KeyLeases = { readonly readPolicy: Lease; readonly pointer: Lease };

export type KvLeases = {
  /** Takes over what the object said. Older news never lower a sequence. */
  note(bucket: BucketName, news: LeaseNews): void;
  /** Both leases, if KV is worth asking for that key now. */
  of(bucket: BucketName, key: ObjectKey): KeyLeases | null;
  /** A record was read that holds until then. */
  extend(name: string, untilMs: number): void;
  /**
   * This isolate changed them: for as long as any older record can be believed it asks the index
   * instead.
   */
  revoke(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  /**
   * Until when readers anywhere may be shown the past of these keys (null: of the read policy) by KV. 0:
   * they may not.
   */
  pastUntilMs(bucket: BucketName, keys: readonly ObjectKey[] | null): number;
};

/**
 * Names remembered: published ones, and those that this isolate wrote in the last minutes. About
 * 200 bytes each.
 */
const NAMES_MAX = 10_000;

type Entry = Lease & {
  /** When the last record ends that is older than `sequence`. */
  readonly pastUntilMs: number;
};

export function createKvLeases(clock: Clock): KvLeases {
  const entries = new LRUCache<string, Entry>({ max: NAMES_MAX });

  function take(name: string, lease: Lease | null): void {
    const known = entries.get(name);
    if (known?.sequence === Number.POSITIVE_INFINITY && known.untilMs > clock.nowMs()) {
      if (lease !== null)
        entries.set(name, { ...known, pastUntilMs: Math.max(known.pastUntilMs, lease.untilMs) });
    } else if (lease === null) entries.delete(name);
    else if (known === undefined || lease.sequence > known.sequence) {
      entries.set(name, { ...lease, pastUntilMs: lease.untilMs });
    } else if (lease.sequence === known.sequence)
      entries.set(name, { ...known, untilMs: lease.untilMs });
  }

  function current(name: string): Lease | null {
    const entry = entries.get(name);
    const isUsable =
      entry !== undefined &&
      entry.sequence < Number.POSITIVE_INFINITY &&
      entry.untilMs > clock.nowMs();
    return isUsable ? entry : null;
  }

  return {
    note(bucket, { readPolicy, keys }) {
      take(readPolicyName(bucket), readPolicy);
      for (const { key, lease } of keys) take(pointerName(bucket, key), lease);
    },
    of(bucket, key) {
      const readPolicy = current(readPolicyName(bucket));
      const pointer = readPolicy === null ? null : current(pointerName(bucket, key));
      return readPolicy === null || pointer === null ? null : { readPolicy, pointer };
    },
    extend(name, untilMs) {
      const known = entries.get(name);
      if (known !== undefined && known.untilMs < untilMs) entries.set(name, { ...known, untilMs });
    },
    revoke(bucket, keys) {
      const untilMs = clock.nowMs() + KV_LEASE_SECONDS * 1000;
      for (const name of namesOf(bucket, keys)) {
        const pastUntilMs = entries.get(name)?.pastUntilMs ?? 0;
        entries.set(name, { sequence: Number.POSITIVE_INFINITY, untilMs, pastUntilMs });
      }
    },
    pastUntilMs(bucket, keys) {
      return Math.max(
        0,
        ...namesOf(bucket, keys).map((name) => entries.get(name)?.pastUntilMs ?? 0),
      );
    },
  };
}

function namesOf(bucket: BucketName, keys: readonly ObjectKey[] | null): string[] {
  return keys === null ? [readPolicyName(bucket)] : keys.map((key) => pointerName(bucket, key));
}
