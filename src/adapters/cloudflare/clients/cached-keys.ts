// Access keys and KMS keys near the reader: believed for seconds without asking, for
// minutes while the directory is down, if nobody has withdrawn them (withdrawn-keys.ts).
// That there is none is believed for seconds, and look-ups of ids that strangers made up
// are bounded (stranger-limit.ts). An overloaded directory is not down: keys that are
// older than ten seconds are refused then. Keeps plain values only, never a promise of
// a request.
import { LRUCache } from 'lru-cache';
import type { StoredAccessKey } from '../../../domain/account-records.ts';
import { hasCode, StorageError } from '../../../domain/errors.ts';
import type { KmsKey } from '../../../ports/directory.ts';
import type { Clock } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import { createStrangerLimit } from './stranger-limit.ts';
import { accountSubject, keySubject, kmsKeySubject, type WithdrawnKeys } from './withdrawn-keys.ts';

/**
 * How long a key is believed without asking, milliseconds: for so long a withdrawn key
 * may still work elsewhere.
 */
const FRESH_MS = 5000;
/** Age up to which a key is believed while the directory is overloaded, milliseconds. */
const BUSY_MAX_AGE_MS = 10_000;
/** Age up to which a key is believed while the directory is down, milliseconds. */
const DOWN_MAX_AGE_MS = 600_000;
/** TTL of "there is none", milliseconds. */
const NONE_MS = 2000;
/** How long a request that has an older key waits for a newer one, milliseconds. */
const PATIENCE_MS = 1000;
/**
 * Keys of both kinds kept, about 300 bytes each. Unknown ids are kept apart, so
 * strangers cannot push keys out.
 */
const KEYS_MAX = 2000;
const NONE_MAX = 4000;

type Entry = { readonly key: object; readonly readAtMs: number; untilMs: number };

export type CachedKeys = {
  /** Rejects as the directory does, and with SlowDown for too many unknown ids. */
  find<Key extends object>(request: KeyRequest<Key>): Promise<Key | null>;
  /** Forgets all: something about keys was changed from here. */
  clear(): void;
};

export type KeyRequest<Key> = {
  readonly kind: 'getAccessKey' | 'getKmsKey';
  readonly id: string;
  /** Whether strangers can make the id up. */
  readonly isGuess: boolean;
  readonly read: () => Promise<Key | null>;
};

export type CachedKeysOptions = {
  readonly clock: Clock;
  /** Null: keys are not believed while the directory is down. */
  readonly withdrawn: Pick<WithdrawnKeys, 'areUnmarked'> | null;
  /** A directory that says nothing for so long has failed, milliseconds. */
  readonly limitMs: number;
};

export function createCachedKeys({ clock, withdrawn, limitMs }: CachedKeysOptions): CachedKeys {
  const entries = new LRUCache<string, Entry>({ max: KEYS_MAX });
  const none = new LRUCache<string, { untilMs: number }>({ max: NONE_MAX });
  const strangers = createStrangerLimit(clock);

  async function read<Key extends object>(
    name: string,
    { kind, isGuess, read: ask }: KeyRequest<Key>,
    known: Entry | undefined,
  ): Promise<Key | null> {
    // From before the call, so that an answer never counts as younger than it is.
    const readAtMs = clock.nowMs();
    const key = isGuess && known === undefined ? await strangers.run(ask) : await ask();
    if (key === null) {
      entries.delete(name);
      // KMS keys are not named by strangers.
      if (kind === 'getAccessKey') none.set(name, { untilMs: readAtMs + NONE_MS });
    } else entries.set(name, { key, readAtMs, untilMs: readAtMs + FRESH_MS });
    return key;
  }

  /** Whether an older key is believed although the directory failed so. */
  async function isBelieved(
    kind: KeyRequest<object>['kind'],
    { key, readAtMs }: Entry,
    error: unknown,
  ): Promise<boolean> {
    const ageMs = clock.nowMs() - readAtMs;
    if (hasCode(error, 'SlowDown')) return ageMs < BUSY_MAX_AGE_MS;
    if (!isOutage(error) || withdrawn === null || ageMs >= DOWN_MAX_AGE_MS) return false;
    try {
      return await withdrawn.areUnmarked(subjectsOf(kind, key), readAtMs);
    } catch {
      return false;
    }
  }

  return {
    async find<Key extends object>(request: KeyRequest<Key>) {
      const name = `${request.kind} ${request.id}`;
      const known = entries.get(name);
      const nowMs = clock.nowMs();
      if (known !== undefined && known.untilMs > nowMs) return known.key as Key;
      if ((none.get(name)?.untilMs ?? 0) > nowMs) return null;

      const isUsable = known !== undefined && nowMs - known.readAtMs < DOWN_MAX_AGE_MS;
      const patienceMs = isUsable && withdrawn !== null ? Math.min(limitMs, PATIENCE_MS) : limitMs;
      try {
        return await withTimeout(patienceMs, 'the directory', () => read(name, request, known));
      } catch (error) {
        if (known === undefined || !(await isBelieved(request.kind, known, error))) throw error;
        // Asked again in a while. Cleared meanwhile: it was changed from here.
        if (entries.get(name) !== known) throw error;
        known.untilMs = clock.nowMs() + FRESH_MS;
        return known.key as Key;
      }
    },
    clear() {
      entries.clear();
      none.clear();
    },
  };
}

/** Whether the directory broke or said nothing. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof StorageError)) return true;
  return error.code === 'InternalError' || error.code === 'ServiceUnavailable';
}

/** What may have been withdrawn of a key. */
function subjectsOf(kind: KeyRequest<object>['kind'], key: object): readonly string[] {
  if (kind === 'getKmsKey') return [kmsKeySubject((key as KmsKey).id)];
  const { id, account } = key as StoredAccessKey;
  return [keySubject(id), accountSubject(account.id)];
}
