// Who sent a request, as the ways to sign find out: the vocabulary that all of them
// share. Pure types, and the two values that follow from an access key alone.
import { StorageError } from '../../../domain/errors.ts';
import type { AccessKey, AccessKeyId, Principal } from '../../../domain/nouns.ts';
import type { HttpRequest } from '../../request.ts';
import type { Claims } from './credential.ts';
import type { DecodedBody } from './payload.ts';

/**
 * Versions of signatures, as policies name them (`s3:signatureversion`). `AWS` is
 * Signature Version 2.
 */
export type SignatureVersion = 'AWS' | 'AWS4-HMAC-SHA256';

/**
 * Who sent a request. `isPresigned`: the signature stands in the URL.
 * `signatureVersion`: null where nobody signed. `signedAtMs`: the time that the
 * signature covers; null without a signature, or where it covers none.
 */
export type Authenticated = {
  readonly principal: Principal;
  readonly body: DecodedBody;
  readonly isPresigned: boolean;
  readonly signedAtMs: number | null;
  readonly signatureVersion: SignatureVersion | null;
};

/** Parts of a request that its signature is checked with. */
export type SignedRequest = Pick<
  HttpRequest,
  'method' | 'rawPath' | 'rawQuery' | 'host' | 'header' | 'headerNames'
>;

/** Who signed a request, and its query in canonical encoding. */
export type Signer = Pick<Claims, 'query' | 'isPresigned'> & { readonly accessKey: AccessKey };

/**
 * Finds an access key: at once where memory has it. Null: there is none, or it is
 * switched off.
 */
export type FindAccessKey = (id: AccessKeyId) => Promise<AccessKey | null> | AccessKey | null;

/**
 * One way to sign requests. `path`: percent-encoded path of the target with its
 * bucket, also where the host names that.
 */
export type SignatureScheme = {
  /**
   * Answers at once when the access key is found at once; errors are thrown or
   * rejected.
   */
  authenticate(request: HttpRequest, path: string): Authenticated | Promise<Authenticated>;
  /**
   * The signer of a request without a body, when memory can prove the signature.
   * Null, or an error: `authenticate` has to find what is wrong, if anything is.
   */
  signerOf(request: SignedRequest, path: string): Signer | null;
};

/** Who an access key speaks for, with what the key may do at most. */
export function principalOf({ account, id, scope = null }: AccessKey): Principal {
  const principal: Principal = { kind: 'account', account, accessKeyId: id };
  return scope === null ? principal : { ...principal, scope };
}

/** InvalidAccessKeyId. */
export function unknownKey(id: AccessKeyId): StorageError {
  return new StorageError('InvalidAccessKeyId', { fields: { AWSAccessKeyId: id } });
}
