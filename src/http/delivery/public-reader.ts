// Whether a reader without a signature may have what was found: at once where the bucket's read policy
// says so for everyone, by its policy where that depends on the request. Both doors and websites
// decide through it; hot-answer.ts, which has no whole request, takes only what is everyone's.
import type { Decide } from '../../core/auth/decide.ts';
import { nameOfBucketId } from '../../core/buckets/owner-bucket.ts';
import type { Core } from '../../core/core.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketReadPolicy, ObjectKey, Pointer } from '../../domain/nouns.ts';
import type { Grant } from '../../domain/object-facts.ts';
import { everyoneMayRead } from '../../domain/pointer.ts';
import type { ConditionSource } from '../access/condition-values.ts';
import { createDecideCall, mayKnowMissing } from '../access/decide-call.ts';
import type { HttpRequest } from '../request.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { parseQuery } from '../semantics/raw-path.ts';
import { CDN_KEEPING_HEADERS } from './header-profile.ts';

/** What a tier or the index knows of a key. */
export type FoundObject = {
  readonly readPolicy: BucketReadPolicy | null;
  readonly pointer: Pointer | null;
};

/** An object that the reader may have. `isForEveryone`: whoever asks, so any cache may keep it. */
export type Readable = { readonly pointer: Pointer; readonly isForEveryone: boolean };

export type PublicReader = {
  /**
   * NoSuchBucket, AccessDenied, NoSuchKey. Cost: 10 ns, or some microseconds where the policy is
   * asked.
   */
  require(request: HttpRequest, found: FoundObject, key: ObjectKey): Readable;
  /** For whom it was decided already, by a signature. NoSuchBucket, NoSuchKey. */
  requireFound(found: FoundObject, key: ObjectKey): Readable;
  /** Whether the reader may have the object, or may be told that there is none. */
  mayRead(request: HttpRequest, found: FoundObject, key: ObjectKey): boolean;
};

/** `isForEveryone`: every other reader would get the same. */
type Answer = { readonly isAllowed: boolean; readonly isForEveryone: boolean };
const OPEN: Answer = { isAllowed: true, isForEveryone: true };
const SHUT: Answer = { isAllowed: false, isForEveryone: true };
const ANYBODY = { kind: 'anonymous' } as const;
const PUBLIC_GRANT: readonly Grant[] = [
  { grantee: { kind: 'group', group: 'AllUsers' }, permission: 'READ' },
];

export function createPublicReader(
  core: Core,
  decide: Decide,
  settings: { readonly region: string },
): PublicReader {
  /**
   * What the policy says, with this request in hand. Where it looks at nothing of it, it says so to
   * everyone.
   */
  function ask(
    request: HttpRequest,
    readPolicy: BucketReadPolicy,
    key: ObjectKey,
    pointer: Pointer | null,
  ): Answer {
    let isForEveryone = true;
    const record = {
      name: nameOfBucketId(readPolicy.bucketId),
      ownerId: readPolicy.ownerId,
      access: readPolicy.access,
    };
    const source: ConditionSource = {
      request,
      operation: 'GetObject',
      query: parseQuery(request.rawQuery),
      principal: ANYBODY,
      authType: null,
      signatureVersion: null,
      requestTags: () => null,
      region: settings.region,
      nowMs: core.ports.clock.nowMs(),
      signedAtMs: null,
      header: (name) => request.header(name),
    };
    const decideCall = createDecideCall((asked, wanted) => {
      const values = (name: string) => {
        isForEveryone = false;
        return wanted.values(name);
      };
      return decide(asked, { ...wanted, values });
    }, source);
    const action = 's3:GetObject';
    if (pointer === null) {
      const isAllowed =
        decideCall(record, { action, key }) === 'allowed' ||
        mayKnowMissing(decideCall, record, action, key);
      return { isAllowed, isForEveryone };
    }
    const { ownerId, tags, isPublicByAcl } = pointer;
    const object = { ownerId, tags, acl: isPublicByAcl ? PUBLIC_GRANT : null };
    const isAllowed = decideCall(record, { action, key, object }) === 'allowed';
    return { isAllowed, isForEveryone };
  }

  function answer(
    request: HttpRequest,
    readPolicy: BucketReadPolicy,
    key: ObjectKey,
    pointer: Pointer | null,
  ): Answer {
    const known = everyoneMayRead(readPolicy.access, key, pointer);
    return known === 'ask' ? ask(request, readPolicy, key, pointer) : known === 'yes' ? OPEN : SHUT;
  }

  return {
    require(request, { readPolicy, pointer }, key) {
      if (readPolicy === null) throw new StorageError('NoSuchBucket');
      const { isAllowed, isForEveryone } = answer(request, readPolicy, key, pointer);
      if (!isAllowed) throw new StorageError('AccessDenied');
      // Where the reader could read the object it is no secret that there is none.
      if (pointer === null) throw new StorageError('NoSuchKey', { fields: { Key: key } });
      return { pointer, isForEveryone };
    },
    requireFound({ readPolicy, pointer }, key) {
      if (readPolicy === null) throw new StorageError('NoSuchBucket');
      if (pointer === null) throw new StorageError('NoSuchKey', { fields: { Key: key } });
      return { pointer, isForEveryone: false };
    },
    mayRead(request, { readPolicy, pointer }, key) {
      return readPolicy !== null && answer(request, readPolicy, key, pointer).isAllowed;
    },
  };
}

/**
 * For what this reader may have and another may not: unless the owner said who may keep it, nobody
 * but the reader, who has to ask again. What `_headers` says of the path is for those pages of it
 * that everyone may read.
 */
export function withPrivateCaching(
  headers: Readonly<HeaderRecord>,
  pointer: Pointer,
): Readonly<HeaderRecord> {
  const { cacheControl, expires } = pointer.headers;
  if (cacheControl !== undefined || expires !== undefined) return headers;
  const kept: HeaderRecord = { ...headers, 'cache-control': 'private, no-cache' };
  for (const name of CDN_KEEPING_HEADERS) delete kept[name];
  return kept;
}
