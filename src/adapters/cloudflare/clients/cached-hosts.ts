// Host bindings near the reader, with a TTL of seconds and a negative cache for
// hosts that nobody has bound. An entry is refreshed in the background before its
// TTL is over, so no visitor of a busy host waits. While the directory fails, stale
// entries are served for minutes (stale-if-error). Keeps plain values only, never a
// promise of a request.
import { LRUCache } from 'lru-cache';
import type { HostBinding } from '../../../ports/directory.ts';
import type { Background, Clock } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';

export type CachedHostsOptions = {
  readonly clock: Clock;
  readonly background: Background;
  /** TTL of an entry, seconds. */
  readonly freshSeconds: number;
  /** A directory that says nothing for so long has failed, milliseconds. */
  readonly limitMs: number;
  /** Calls the directory. */
  readonly read: (host: string) => Promise<HostBinding | null>;
};

/** Share of the TTL after which an entry is refreshed behind the responses. */
const RENEW_AFTER = 0.6;
/**
 * How long a stale entry is better than none while the directory fails,
 * milliseconds.
 */
const STALE_IF_ERROR_MS = 600_000;
/** How long the directory is not called again after a failure, milliseconds. */
const RETRY_MS = 1000;
/**
 * How long after a failure nobody waits who can have a stale entry, milliseconds.
 */
const DOUBTED_MS = 10_000;
/**
 * How long a request with a stale entry waits for a newer one, milliseconds: many
 * RPCs long.
 */
const PATIENCE_MS = 1000;
/**
 * Names remembered, about 300 bytes each. Unbound ones can be made up: they push no
 * others out.
 */
const BOUND_MAX = 2000;
const UNBOUND_MAX = 2000;

type Entry = {
  readonly binding: HostBinding | null;
  readonly readAtMs: number;
  readonly freshUntilMs: number;
  renewAtMs: number;
  /** When a refresh of this entry failed last; 0: it has not. */
  failedAtMs: number;
};

export type CachedHosts = {
  /**
   * `Directory.findHost`. Cost: a lookup; one RPC for a host that is not known
   * here.
   */
  find(host: string): HostBinding | null | Promise<HostBinding | null>;
  /** `Directory.peekHost`. Cost: a lookup. */
  peek(host: string): HostBinding | null | undefined;
  /** Forgets all: something was bound from here. */
  clear(): void;
};

/** Makes an empty one. */
export function createCachedHosts(options: CachedHostsOptions): CachedHosts {
  const { clock, background, freshSeconds, limitMs } = options;
  const freshMs = freshSeconds * 1000;
  const bound = new LRUCache<string, Entry>({ max: BOUND_MAX });
  const unbound = new LRUCache<string, Entry>({ max: UNBOUND_MAX });

  const look = (host: string): Entry | undefined => bound.get(host) ?? unbound.get(host);

  function keep(host: string, given: HostBinding | null, readAtMs: number): HostBinding | null {
    const known = look(host);
    // A question that was asked later was answered before.
    if (known !== undefined && known.readAtMs > readAtMs) return known.binding;
    // While nothing changed the object stays the same: others keep what they make of it.
    const isSame = known !== undefined && JSON.stringify(known.binding) === JSON.stringify(given);
    const binding = isSame ? known.binding : given;
    const times = { freshUntilMs: readAtMs + freshMs, renewAtMs: readAtMs + freshMs * RENEW_AFTER };
    (binding === null ? bound : unbound).delete(host);
    (binding === null ? unbound : bound).set(host, { binding, readAtMs, ...times, failedAtMs: 0 });
    return binding;
  }

  async function load(host: string, known: Entry | undefined): Promise<HostBinding | null> {
    // From before the question, so that an answer never counts as younger than it
    // is.
    const askedAtMs = clock.nowMs();
    const isUsable = known !== undefined && askedAtMs - known.readAtMs <= STALE_IF_ERROR_MS;
    // What comes too late for this visitor is kept for the next.
    const read = async () => keep(host, await options.read(host), askedAtMs);
    try {
      return await withTimeout(
        isUsable ? Math.min(limitMs, PATIENCE_MS) : limitMs,
        'the directory',
        read,
      );
    } catch (error) {
      if (!isUsable) throw error;
      // Looked up again: somebody else may have been answered meanwhile.
      const entry = look(host) ?? known;
      entry.failedAtMs = clock.nowMs();
      entry.renewAtMs = entry.failedAtMs + RETRY_MS;
      return entry.binding;
    }
  }

  /** What is good enough to be given at once. */
  function peek(host: string): HostBinding | null | undefined {
    const known = look(host);
    if (known === undefined) return undefined;
    const nowMs = clock.nowMs();
    const isDoubted =
      nowMs - known.failedAtMs < DOUBTED_MS && nowMs - known.readAtMs <= STALE_IF_ERROR_MS;
    if (nowMs >= known.freshUntilMs && !isDoubted) return undefined;
    if (nowMs >= known.renewAtMs) {
      // One question at a time; of one whose request died before it was answered,
      // another in a while.
      known.renewAtMs = isDoubted ? nowMs + RETRY_MS : known.freshUntilMs;
      background.run('renew-host', () => load(host, known));
    }
    return known.binding;
  }

  return {
    find(host) {
      const binding = peek(host);
      return binding === undefined ? load(host, look(host)) : binding;
    },
    peek,
    clear() {
      bound.clear();
      unbound.clear();
    },
  };
}
