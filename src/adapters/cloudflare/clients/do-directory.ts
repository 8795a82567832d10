// The directory over RPC. Access keys are kept in the isolate for a few seconds,
// because every signed request needs one, KMS keys too, because every read of what
// they protect does; host names are, because every request to a host that is not
// the service's own needs one (cached-hosts.ts). So are the entries of links
// (cached-links.ts).
import { LRUCache } from 'lru-cache';
import { changesAccessKeys } from '../../../index/call-kinds.ts';
import type { Directory, DirectoryApi } from '../../../ports/directory.ts';
import type { Background, Clock } from '../../../ports/system.ts';
import type { DirectoryObject } from '../durable-objects/directory-object.ts';
import { createCachedHosts } from './cached-hosts.ts';
import { createCachedLinks } from './cached-links.ts';
import { type CallableObject, callObject } from './object-call.ts';

/** The name of the only object. */
const OBJECT_NAME = 'directory';
/**
 * Seconds for which a key is believed without asking: how long a withdrawn key may
 * still work elsewhere.
 */
const KEY_FRESH_SECONDS = 5;
/**
 * Keys of both kinds kept; about 300 bytes each. Unknown ids are never kept, so
 * strangers cannot push keys out.
 */
const KEYS_MAX = 2000;
/** Look-ups by id whose response is kept. */
const KEPT: ReadonlySet<keyof DirectoryApi> = new Set(['getAccessKey', 'getKmsKey']);

/** Calls that make or remove entries of links. */
const LINK_CHANGES: ReadonlySet<keyof DirectoryApi> = new Set([
  'addLinkId',
  'removeLinkId',
  'removeLinkIds',
]);

export type DoDirectoryOptions = {
  readonly clock: Clock;
  readonly background: Background;
  /** Seconds for which a host name is believed without asking. */
  readonly hostFreshSeconds: number;
  /**
   * A directory that says nothing of a host for so long has failed, milliseconds.
   * By default no time is too long.
   */
  readonly limitMs?: number;
};

/**
 * Cost: one RPC; none for an access key or host that the isolate remembers. Every
 * command of the directory is idempotent.
 */
export function createDoDirectory(
  directory: DurableObjectNamespace<DirectoryObject>,
  { clock, background, hostFreshSeconds, limitMs = Number.POSITIVE_INFINITY }: DoDirectoryOptions,
): Directory {
  const keys = new LRUCache<string, { key: object; untilMs: number }>({ max: KEYS_MAX });

  function ask<Name extends keyof DirectoryApi>(
    name: Name,
    input: Parameters<DirectoryApi[Name]>[0],
  ) {
    // The stub's own types would lose the generic call; the wire carries plain data
    // all the same.
    const connect = () =>
      directory.get(directory.idFromName(OBJECT_NAME)) as unknown as CallableObject;
    return callObject<ReturnType<DirectoryApi[Name]>>({ connect, name, input, isRepeatable: true });
  }

  const hosts = createCachedHosts({
    clock,
    background,
    freshSeconds: hostFreshSeconds,
    limitMs,
    read: (host) => ask('getHost', { host }),
  });

  const links = createCachedLinks(clock, (id) => ask('getLinkId', { id }));

  return {
    findLink: links.find,
    peekLink: links.peek,
    findHost: hosts.find,
    peekHost: hosts.peek,
    async call(name, input) {
      const keyId = KEPT.has(name) ? `${name} ${(input as { id: string }).id}` : null;
      const known = keyId === null ? undefined : keys.get(keyId);
      if (known !== undefined && known.untilMs > clock.nowMs()) {
        return known.key as unknown as ReturnType<DirectoryApi[typeof name]>;
      }
      try {
        const value = await ask(name, input);
        if (keyId !== null && value !== null && typeof value === 'object') {
          keys.set(keyId, { key: value, untilMs: clock.nowMs() + KEY_FRESH_SECONDS * 1000 });
        } else if (keyId !== null) keys.delete(keyId);
        return value;
      } finally {
        // A new secret, a withdrawn key or another host must count at once, at
        // least here.
        if (changesAccessKeys(name) || name === 'changeKmsKey') keys.clear();
        if (name === 'bindHosts') hosts.clear();
        if (LINK_CHANGES.has(name)) links.clear();
      }
    },
  };
}
