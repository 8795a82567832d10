// Whether a reader without a signature may have what was found: at once where the bucket's gate says so for everyone,
// by its policy where that depends on the request. Both doors and websites decide through it; hot-answer.ts, which has no
// whole request, takes only what is everyone's.
import type { Decide } from '../../core/auth/decide.ts';
import { nameOfBucketId } from '../../core/buckets/blob-home.ts';
import type { Core } from '../../core/core.ts';
import type { BucketGate, ObjectKey, Pointer } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { Grant } from '../../ports/object-facts.ts';
import { everyoneMayRead } from '../../ports/pointer.ts';
import { createDecideCall, mayKnowMissing } from '../access/decide-call.ts';
import type { HttpRequest } from '../request.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { parseQuery } from '../semantics/raw-path.ts';

/** What a tier or the index knows of a key. */
export type FoundObject = { readonly gate: BucketGate | null; readonly pointer: Pointer | null };

/** An object that the reader may have. `isForEveryone`: whoever asks, so any cache may keep it. */
export type Readable = { readonly pointer: Pointer; readonly isForEveryone: boolean };

export type PublicReader = {
  /** NoSuchBucket, AccessDenied, NoSuchKey. Cost: 10 ns, or some microseconds where the policy is asked. */
  require(request: HttpRequest, found: FoundObject, key: ObjectKey): Readable;
  /** Whether the reader may have the object, or may be told that there is none. */
  mayRead(request: HttpRequest, found: FoundObject, key: ObjectKey): boolean;
};

const ANYBODY = { kind: 'anonymous' } as const;
const PUBLIC_GRANT: readonly Grant[] = [{ grantee: { kind: 'group', group: 'AllUsers' }, permission: 'READ' }];

export function createPublicReader(core: Core, decide: Decide, settings: { readonly region: string }): PublicReader {
  /** What the policy says, with this request in hand. */
  function ask(request: HttpRequest, gate: BucketGate, key: ObjectKey, pointer: Pointer | null): boolean {
    const record = { name: nameOfBucketId(gate.bucketId), ownerId: gate.ownerId, access: gate.access };
    const decideCall = createDecideCall(decide, {
      request,
      query: parseQuery(request.rawQuery),
      principal: ANYBODY,
      authType: null,
      requestTags: () => null,
      region: settings.region,
      nowMs: core.ports.clock.nowMs(),
      signedAtMs: () => null,
      header: (name) => request.header(name),
    });
    const action = 's3:GetObject';
    if (pointer === null) {
      return decideCall(record, { action, key }) === 'allowed' || mayKnowMissing(decideCall, record, action, key);
    }
    const { ownerId, tags, isPublicByAcl } = pointer;
    const object = { ownerId, tags, acl: isPublicByAcl ? PUBLIC_GRANT : null };
    return decideCall(record, { action, key, object }) === 'allowed';
  }

  return {
    require(request, { gate, pointer }, key) {
      if (gate === null) throw new StorageError('NoSuchBucket');
      const answer = everyoneMayRead(gate.access, key, pointer);
      const isAllowed = answer === 'yes' || (answer === 'ask' && ask(request, gate, key, pointer));
      if (!isAllowed) throw new StorageError('AccessDenied');
      // Where everyone could read the object it is no secret that there is none.
      if (pointer === null) throw new StorageError('NoSuchKey', { fields: { Key: key } });
      return { pointer, isForEveryone: answer === 'yes' };
    },
    mayRead(request, { gate, pointer }, key) {
      if (gate === null) return false;
      const answer = everyoneMayRead(gate.access, key, pointer);
      return answer === 'yes' || (answer === 'ask' && ask(request, gate, key, pointer));
    },
  };
}

/**
 * For what this reader may have and another may not: unless the owner said who may keep it, nobody but the reader, who
 * has to ask again.
 */
export function withPrivateCaching(headers: Readonly<HeaderRecord>, pointer: Pointer): Readonly<HeaderRecord> {
  const { cacheControl, expires } = pointer.headers;
  if (cacheControl !== undefined || expires !== undefined) return headers;
  return { ...headers, 'cache-control': 'private, no-cache' };
}
