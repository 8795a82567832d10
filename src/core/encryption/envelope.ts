// Envelope encryption: a data key is wrapped by the client's own key, a master key
// or a KMS key. The requested encryption becomes the ObjectEncryption that is
// stored with the version, and that becomes the data key again. Called by whoever
// writes, reads or copies bodies.
import { isEqualInConstantTime } from '../../crypto/hash.ts';
import { randomKey, unwrapKey, wrapKey } from '../../crypto/key-wrap.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { ObjectEncryption } from '../../domain/object-facts.ts';
import type { Core } from '../core.ts';
import { type DataKey, toDataKey } from './data-key.ts';
import type { KeyCore } from './key-core.ts';
import { MANAGED_KEY_ID, unwrapKmsKey, unwrapKmsKeyFor } from './kms-keys.ts';
import { unwrapWithMaster, wrapWithMaster } from './master-keys.ts';

/**
 * A key that a client sent for one request (SSE-C). It is never stored. `md5` is
 * base64.
 */
export type CustomerKey = { readonly bytes: Uint8Array; readonly md5: string };

/** How a new version shall be encrypted. `keyId` null: the managed KMS key. */
export type RequestedEncryption =
  | { readonly kind: 'customer'; readonly key: CustomerKey }
  | { readonly kind: 'server' }
  | {
      readonly kind: 'named';
      readonly keyId: string | null;
      readonly isDoubled: boolean;
      readonly isBucketKey: boolean;
      readonly context: string | null;
    };

/**
 * A data key, and the ObjectEncryption with its wrapped form, which is stored with
 * a version.
 */
export type Envelope = { readonly encryption: ObjectEncryption; readonly dataKey: DataKey };

/**
 * Makes a data key and wraps it as requested, for a bucket of that account. Errors:
 * those of unwrapKmsKeyFor, ServiceUnavailable.
 */
export function makeDataKey(
  core: Core,
  ownerId: AccountId,
  requested: RequestedEncryption,
): Promise<Envelope> {
  return wrapDataKey(core, ownerId, requested, randomKey());
}

/**
 * Wraps a data key that exists: a copy shares the bytes of its source, and so their
 * key.
 */
export async function wrapDataKey(
  core: Core,
  ownerId: AccountId,
  requested: RequestedEncryption,
  key: Uint8Array,
): Promise<Envelope> {
  const encryption = await wrap(core, ownerId, requested, key);
  return { encryption, dataKey: toDataKey(key, encryption) };
}

async function wrap(
  core: Core,
  ownerId: AccountId,
  requested: RequestedEncryption,
  key: Uint8Array,
): Promise<ObjectEncryption> {
  if (requested.kind === 'customer')
    return { kind: 'customer', wrappedKey: wrapKey(requested.key.bytes, key, BOUND) };
  if (requested.kind === 'server') {
    return { kind: 'server', wrappedKey: wrapWithMaster(core.settings.masterKeys, key, BOUND) };
  }

  const { isDoubled, isBucketKey, context } = requested;
  const keyId = requested.keyId ?? MANAGED_KEY_ID;
  const kmsKey = await unwrapKmsKeyFor(core, keyId, ownerId);
  const wrappedKey = wrapKey(kmsKey, key, boundTo(context));
  kmsKey.fill(0);
  return { kind: 'named', keyId, wrappedKey, isDoubled, isBucketKey, context };
}

/** Messages for a client's key that is missing or needless, in S3's words. */
const REFUSALS = {
  read: {
    missing:
      'The object was stored using a form of Server Side Encryption. ' +
      'The correct parameters must be provided to retrieve the object.',
    needless: 'The encryption parameters are not applicable to this object.',
  },
  part: {
    missing:
      'The multipart upload initiate requested encryption. ' +
      'Subsequent part requests must include the appropriate encryption parameters.',
    needless:
      'The multipart upload initiate did not request encryption. ' +
      'Please resend the request without sending encryption parameters.',
  },
} as const;

/**
 * Unwraps the data key of an encryption, null for null. `customerKey`: the key that
 * the request brought. InvalidRequest when that is missing, needless or another one
 * than that of the write; and the errors of unwrapKmsKey and unwrapWithMaster.
 * Cost: 20 µs; for a KMS key twice that and a look-up in the directory.
 */
export async function unwrapDataKey(
  core: KeyCore,
  encryption: ObjectEncryption | null,
  customerKey: CustomerKey | null,
  use: keyof typeof REFUSALS = 'read',
): Promise<DataKey | null> {
  if (encryption?.kind === 'customer' || customerKey !== null) {
    return unwrapWithCustomerKey(encryption, customerKey, use);
  }
  if (encryption === null) return null;
  if (encryption.kind === 'server') {
    const key = unwrapWithMaster(core.settings.masterKeys, encryption.wrappedKey, BOUND);
    return toDataKey(key, encryption);
  }

  const kmsKey = await unwrapKmsKey(core, encryption.keyId);
  const key = unwrapKey(kmsKey, encryption.wrappedKey, boundTo(encryption.context));
  kmsKey.fill(0);
  if (key === null) {
    throw new StorageError('InternalError', {
      detail: `A key wrapped by the key ${encryption.keyId} is damaged.`,
    });
  }
  return toDataKey(key, encryption);
}

/**
 * Unwraps a data key with the client's own key, without any port. It proves that
 * the request brought the right key, or rightly none; null when the encryption is
 * not by a client's key.
 */
export function unwrapWithCustomerKey(
  encryption: ObjectEncryption | null,
  customerKey: CustomerKey | null,
  use: keyof typeof REFUSALS = 'read',
): DataKey | null {
  const refused = (detail: string) => new StorageError('InvalidRequest', { detail });
  if (encryption?.kind !== 'customer') {
    if (customerKey !== null) throw refused(REFUSALS[use].needless);
    return null;
  }
  if (customerKey === null) throw refused(REFUSALS[use].missing);
  // The tag of the wrapped key reveals a wrong key, and is compared in constant
  // time; the key's MD5 is not stored at all.
  const key = unwrapKey(customerKey.bytes, encryption.wrappedKey, BOUND);
  if (key === null)
    throw refused('The provided encryption parameters did not match the ones used originally.');
  return toDataKey(key, encryption);
}

/** Whether two keys of clients are equal, compared in constant time. */
export function isSameKey(a: CustomerKey, b: CustomerKey): boolean {
  return isEqualInConstantTime(a.bytes.toHex(), b.bytes.toHex());
}

/** Additional authenticated data of a wrapped data key. */
const BOUND = 'data key';

/**
 * Binds a data key to the encryption context of SSE-KMS, which must be passed
 * again.
 */
function boundTo(context: string | null): string {
  return context === null ? BOUND : `${BOUND} ${context}`;
}
