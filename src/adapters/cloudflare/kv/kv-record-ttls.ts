// What this isolate knows of KV: for which names the bucket's Durable Object has
// promised a record there, and from which sequence on one is valid.
// do-metadata-index.ts notes what the object says with its outcomes;
// kv-hot-metadata.ts asks before it reads KV. Plain values only, shared between the
// requests of the isolate.
import { LRUCache } from 'lru-cache';
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import type { Clock } from '../../../ports/system.ts';
import { KV_RECORD_TTL_SECONDS, pointerName, readPolicyName } from './hot-records.ts';

/**
 * One name in KV: records older than `sequence` are not valid, and none after
 * `untilMs` (1970, milliseconds).
 */
export type RecordTtl = { readonly sequence: number; readonly untilMs: number };

/**
 * What the object says, with the outcome of a call, of the read policy and of the
 * keys that the call was about; null: KV has none.
 */
export type TtlNews = {
  readonly readPolicy: RecordTtl | null;
  readonly keys: readonly { readonly key: ObjectKey; readonly ttl: RecordTtl | null }[];
};

export type KeyTtls = { readonly readPolicy: RecordTtl; readonly pointer: RecordTtl };

export type KvRecordTtls = {
  /** Takes over what the object said. Older news never lower a sequence. */
  note(bucket: BucketName, news: TtlNews): void;
  /** Both leases, if KV is worth asking for that key now. */
  of(bucket: BucketName, key: ObjectKey): KeyTtls | null;
  /** A record was read that holds until then. */
  extend(name: string, untilMs: number): void;
  /**
   * This isolate changed them: for as long as any older record can be valid it asks
   * the index instead.
   */
  revoke(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  /**
   * Until when KV may show the past of these keys (null: of the read policy) to
   * readers anywhere. 0: it may not.
   */
  pastUntilMs(bucket: BucketName, keys: readonly ObjectKey[] | null): number;
};

/**
 * Names remembered: published ones, and those that this isolate wrote in the last
 * minutes. About 200 bytes each.
 */
const NAMES_MAX = 10_000;

type Entry = RecordTtl & {
  /** When the last record ends that is older than `sequence`. */
  readonly pastUntilMs: number;
};

export function createKvRecordTtls(clock: Clock): KvRecordTtls {
  const entries = new LRUCache<string, Entry>({ max: NAMES_MAX });

  function take(name: string, ttl: RecordTtl | null): void {
    const known = entries.get(name);
    if (known?.sequence === Number.POSITIVE_INFINITY && known.untilMs > clock.nowMs()) {
      if (ttl !== null)
        entries.set(name, { ...known, pastUntilMs: Math.max(known.pastUntilMs, ttl.untilMs) });
    } else if (ttl === null) entries.delete(name);
    else if (known === undefined || ttl.sequence > known.sequence) {
      entries.set(name, { ...ttl, pastUntilMs: ttl.untilMs });
    } else if (ttl.sequence === known.sequence)
      entries.set(name, { ...known, untilMs: ttl.untilMs });
  }

  function current(name: string): RecordTtl | null {
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
      for (const { key, ttl } of keys) take(pointerName(bucket, key), ttl);
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
      const untilMs = clock.nowMs() + KV_RECORD_TTL_SECONDS * 1000;
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
