// Whether a reader may have what was found: at once where the bucket's read policy
// says so for everyone, by the bucket's policy where that depends on the request,
// or by the owner's signature. Called by deliver.ts and sites; the fast path, which
// has no whole request, takes only what is everyone's.
import type { Decide } from '../../core/auth/decide.ts';
import type { Core } from '../../core/core.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketReadPolicy, ObjectKey, Pointer } from '../../domain/nouns.ts';
import type { Grant } from '../../domain/object-facts.ts';
import { nameOfBucketId } from '../../domain/owner-bucket.ts';
import { everyoneMayRead } from '../../domain/pointer.ts';
import type { ConditionSource } from '../access/condition-values.ts';
import { createDecideCall, mayKnowMissing } from '../access/decide-call.ts';
import type { HttpRequest } from '../request.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { parseQuery } from '../semantics/raw-path.ts';
import { CDN_KEEPING_HEADERS } from './header-profile.ts';
import type { ReadRequest } from './object-read.ts';

/** What a tier or the index knows of a key. */
export type FoundObject = {
  readonly readPolicy: BucketReadPolicy | null;
  readonly pointer: Pointer | null;
};

/** An object that the reader may have. */
export type AllowedObject = {
  readonly readPolicy: BucketReadPolicy;
  readonly pointer: Pointer;
  /** Whether every other reader would get the same, so any cache may keep it. */
  readonly isForEveryone: boolean;
  /**
   * Whether the owner of the bucket has signed the request, and was let in by that.
   */
  readonly isOwners: boolean;
};

export type PublicReader = {
  /**
   * The object, if the reader may have it. NoSuchBucket, AccessDenied, NoSuchKey.
   * Cost: 10 ns, or some microseconds where the policy is evaluated.
   */
  require(readRequest: ReadRequest, found: FoundObject): AllowedObject;
  /** Whether the reader may have the object, or may hear that there is none. */
  mayRead(request: HttpRequest, found: FoundObject, key: ObjectKey): boolean;
};

/** A decision. `isForEveryone`: every other reader would get the same. */
type Access = { readonly isAllowed: boolean; readonly isForEveryone: boolean };
const OPEN: Access = { isAllowed: true, isForEveryone: true };
const SHUT: Access = { isAllowed: false, isForEveryone: true };
const OWNERS: Access = { isAllowed: true, isForEveryone: false };
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
   * Evaluates the bucket's policy with this request. Where the policy looks at
   * nothing of the request, the decision is everyone's.
   */
  function evaluate(
    request: HttpRequest,
    readPolicy: BucketReadPolicy,
    key: ObjectKey,
    pointer: Pointer | null,
  ): Access {
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
    const decideCall = createDecideCall((call, conditions) => {
      const values = (name: string) => {
        isForEveryone = false;
        return conditions.values(name);
      };
      return decide(call, { ...conditions, values });
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

  function decideAccess(
    request: HttpRequest,
    readPolicy: BucketReadPolicy,
    key: ObjectKey,
    pointer: Pointer | null,
  ): Access {
    const known = everyoneMayRead(readPolicy.access, key, pointer);
    if (known === 'ask') return evaluate(request, readPolicy, key, pointer);
    return known === 'yes' ? OPEN : SHUT;
  }

  return {
    require({ request, key, options, invitation }, { readPolicy, pointer }) {
      if (readPolicy === null) throw new StorageError('NoSuchBucket');
      // A bucket that was made anew since, under another owner, is not the one that
      // was signed for.
      const isOwners = options?.ownersBucket === readPolicy.bucketId;
      const access = isOwners
        ? OWNERS
        : invitation !== undefined
          ? OPEN
          : decideAccess(request, readPolicy, key, pointer);
      if (!access.isAllowed) throw new StorageError('AccessDenied');
      // Where the reader could read the object it is no secret that there is none.
      if (pointer === null) throw new StorageError('NoSuchKey', { fields: { Key: key } });
      return { readPolicy, pointer, isForEveryone: access.isForEveryone, isOwners };
    },
    mayRead(request, { readPolicy, pointer }, key) {
      return readPolicy !== null && decideAccess(request, readPolicy, key, pointer).isAllowed;
    },
  };
}

/**
 * For what this reader may have and another may not: unless the owner said who may
 * keep it, nobody but the reader, who has to ask again. What `_headers` says of the
 * path is for those pages of it that everyone may read.
 */
export function withPrivateCaching(
  headers: Readonly<HeaderRecord>,
  pointer: Pointer,
): Readonly<HeaderRecord> {
  const { cacheControl, expires } = pointer.headers;
  if (cacheControl !== undefined || expires !== undefined) return headers;
  const privateHeaders: HeaderRecord = { ...headers, 'cache-control': 'private, no-cache' };
  for (const name of CDN_KEEPING_HEADERS) delete privateHeaders[name];
  return privateHeaders;
}
