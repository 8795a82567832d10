// Host names near the reader: what the directory said of one is believed for seconds, "nobody has bound it" too, and
// asked anew in the background before they are over, so that no visitor of a busy host waits for it. When the directory
// fails, what was known is good enough for some minutes. Keeps plain values only, never a promise of a request.
import { LRUCache } from 'lru-cache';
import type { HostBinding } from '../../ports/directory.ts';
import type { Background, Clock } from '../../ports/system.ts';

export type CachedHostsOptions = {
  readonly clock: Clock;
  readonly background: Background;
  /** Seconds for which an answer is given without asking. */
  readonly freshSeconds: number;
  /** Asks the directory. */
  readonly read: (host: string) => Promise<HostBinding | null>;
};

/** Share of the fresh time after which it is asked anew behind the answers. */
const RENEW_AFTER = 0.6;
/** Milliseconds for which an old answer is better than none, and for which the directory is then left alone. */
const STALE_IF_ERROR_MS = 600_000;
const RETRY_MS = 1000;
/** Names kept, about 300 bytes each. Those that nobody has bound can be made up, so they can't push others out. */
const BOUND_MAX = 2000;
const UNBOUND_MAX = 2000;

type Entry = {
  readonly binding: HostBinding | null;
  readonly readAtMs: number;
  freshUntilMs: number;
  renewAtMs: number;
};

export type CachedHosts = {
  /** `Directory.findHost`. Cost: a look-up; one RPC for a host that is not known here. */
  find(host: string): HostBinding | null | Promise<HostBinding | null>;
  /** Forgets all: something was bound from here. */
  clear(): void;
};

/** Makes an empty one. */
export function createCachedHosts(options: CachedHostsOptions): CachedHosts {
  const { clock, background, freshSeconds } = options;
  const freshMs = freshSeconds * 1000;
  const bound = new LRUCache<string, Entry>({ max: BOUND_MAX });
  const unbound = new LRUCache<string, Entry>({ max: UNBOUND_MAX });

  function keep(host: string, binding: HostBinding | null, readAtMs: number): void {
    const entry = { binding, readAtMs, freshUntilMs: readAtMs + freshMs, renewAtMs: readAtMs + freshMs * RENEW_AFTER };
    (binding === null ? bound : unbound).delete(host);
    (binding === null ? unbound : bound).set(host, entry);
  }

  async function ask(host: string, known: Entry | undefined): Promise<HostBinding | null> {
    // From before the question, so that an answer never counts as younger than it is.
    const nowMs = clock.nowMs();
    try {
      const binding = await options.read(host);
      // The same object as long as nothing changed: others keep what they make of it.
      const isSame = known !== undefined && JSON.stringify(known.binding) === JSON.stringify(binding);
      const kept = isSame ? known.binding : binding;
      keep(host, kept, nowMs);
      return kept;
    } catch (error) {
      if (known === undefined || nowMs - known.readAtMs > STALE_IF_ERROR_MS) throw error;
      known.freshUntilMs = nowMs + RETRY_MS;
      known.renewAtMs = known.freshUntilMs;
      return known.binding;
    }
  }

  return {
    find(host) {
      const known = bound.get(host) ?? unbound.get(host);
      const nowMs = clock.nowMs();
      if (known === undefined || nowMs >= known.freshUntilMs) return ask(host, known);
      if (nowMs >= known.renewAtMs) {
        // One question at a time.
        known.renewAtMs = known.freshUntilMs;
        background.run('renew-host', () => ask(host, known));
      }
      return known.binding;
    },
    clear() {
      bound.clear();
      unbound.clear();
    },
  };
}
