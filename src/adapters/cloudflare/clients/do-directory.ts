// The directory over RPC. Access keys are kept in the isolate for a few seconds,
// because every signed request needs one, KMS keys too, because every read of what
// they protect does (cached-keys.ts); host names are, because every request to a host that is not
// the service's own needs one (cached-hosts.ts). So are the entries of links
// (cached-links.ts).
import { changesAccessKeys } from '../../../index/call-kinds.ts';
import type { Directory, DirectoryApi } from '../../../ports/directory.ts';
import type { Background, Clock } from '../../../ports/system.ts';
import type { DirectoryObject } from '../durable-objects/directory-object.ts';
import { createCachedHosts } from './cached-hosts.ts';
import { createCachedKeys } from './cached-keys.ts';
import { createCachedLinks } from './cached-links.ts';
import { type CallableObject, callObject } from './object-call.ts';
import { createStrangerLimit } from './stranger-limit.ts';
import type { WithdrawnKeys } from './withdrawn-keys.ts';

/** The name of the only object. */
const OBJECT_NAME = 'directory';
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
  /** Absent: keys are not believed while the directory is down, nor changes marked. */
  readonly withdrawn?: WithdrawnKeys | null;
};

/**
 * Cost: one RPC; none for an access key or host that the isolate remembers. Every
 * command of the directory is idempotent.
 */
export function createDoDirectory(
  directory: DurableObjectNamespace<DirectoryObject>,
  options: DoDirectoryOptions,
): Directory {
  const { clock, background, hostFreshSeconds, withdrawn = null } = options;
  const { limitMs = Number.POSITIVE_INFINITY } = options;
  const keys = createCachedKeys({ clock, withdrawn, limitMs });
  const strangers = { hosts: createStrangerLimit(clock), links: createStrangerLimit(clock) };

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
    read: (host) => strangers.hosts.run(() => ask('getHost', { host })),
  });

  const links = createCachedLinks(clock, (id) =>
    strangers.links.run(() => ask('getLinkId', { id })),
  );

  return {
    findLink: links.find,
    peekLink: links.peek,
    findHost: hosts.find,
    peekHost: hosts.peek,
    async call(name, input) {
      type Value = ReturnType<DirectoryApi[typeof name]>;
      if (name === 'getAccessKey' || name === 'getKmsKey') {
        const { id, isProven } = input as Parameters<DirectoryApi['getAccessKey']>[0];
        const isGuess = name === 'getAccessKey' && isProven !== true;
        const read = () => ask(name, { id } as never) as Promise<object | null>;
        return (await keys.find({ kind: name, id, isGuess, read })) as Value;
      }
      try {
        await withdrawn?.mark(name, input);
        return await ask(name, input);
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
