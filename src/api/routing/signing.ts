// The access key that stands for a caller where the bytes of objects are concerned:
// presigned URLs are signed with it, and what it may read is decided as of every
// signed request. Called by routes that give out bytes or URLs of them.
import { memberKeyId } from '../../core/auth/member-key.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccessKey, BucketRecord } from '../../domain/nouns.ts';
import { createDecideCall, type DecideCall } from '../../http/access/decide-call.ts';
import { principalOf } from '../../http/s3/signature/authenticated.ts';
import { parseQuery } from '../../http/semantics/raw-path.ts';
import type { SignedInCall } from './api-call.ts';

/** How URLs of a bucket are signed, and for how long. */
export type Signing = {
  readonly accessKey: AccessKey;
  readonly bucket: string;
  readonly expiresSeconds: number;
};

/**
 * The key of the caller, and the seconds that its URLs last: as requested, and no
 * longer than the token. AccessDenied where it is not the account's own bucket,
 * which the operator may otherwise name.
 */
export async function signingOf(
  call: SignedInCall,
  { name, ownerId }: Pick<BucketRecord, 'name' | 'ownerId'>,
  requestedSeconds: number,
): Promise<Signing> {
  const { accountId, accessKeyId, memberId } = call.caller;
  const id = accessKeyId ?? (memberId === null ? null : memberKeyId(memberId));
  const accessKey = id === null || ownerId !== accountId ? null : await call.findAccessKey(id);
  if (accessKey === null)
    throw new StorageError('AccessDenied', { detail: 'The bytes are for the account alone.' });
  return { accessKey, bucket: name, expiresSeconds: limitedSeconds(call, requestedSeconds) };
}

/**
 * Seconds that a URL lasts: no longer than the token that has it made; at least 1
 * s.
 */
function limitedSeconds({ caller, core }: SignedInCall, requestedSeconds: number): number {
  if (caller.endsAtMs === null) return requestedSeconds;
  const leftSeconds = Math.floor((caller.endsAtMs - core.ports.clock.nowMs()) / 1000);
  return Math.max(1, Math.min(requestedSeconds, leftSeconds));
}

/**
 * What the key may do, as its presigned URL would find out: by scope, ACL and
 * policy of the bucket.
 */
export function decideAs(
  { core, decide, region, request }: SignedInCall,
  accessKey: AccessKey,
  operation: string,
): DecideCall {
  const nowMs = core.ports.clock.nowMs();
  return createDecideCall(decide, {
    request,
    operation,
    query: parseQuery(''),
    principal: principalOf(accessKey),
    region,
    nowMs,
    authType: 'REST-QUERY-STRING',
    signatureVersion: 'AWS4-HMAC-SHA256',
    signedAtMs: nowMs,
    requestTags: () => null,
    header: (name) => request.header(name),
  });
}
