// Who wraps a data key: the client's own key, the server's master key, or a named key. Here a wish
// becomes what is kept with the version (ObjectEncryption), and what is kept becomes the data key
// again.
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

/** A key that a client sent for one request. It is kept nowhere. `md5` is base64. */
export type CustomerKey = { readonly bytes: Uint8Array; readonly md5: string };

/** How a new version shall be encrypted. `keyId` null: the key for whoever names none. */
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

/** What is kept with a version, and the key that it hides. */
export type WrappedDataKey = { readonly encryption: ObjectEncryption; readonly dataKey: DataKey };

/**
 * Makes a data key and wraps it as wished, for a bucket of that account; null stays null. Errors:
 * those of unwrapKmsKeyFor, ServiceUnavailable.
 */
export async function makeDataKey(
  core: Core,
  ownerId: AccountId,
  wish: RequestedEncryption | null,
): Promise<WrappedDataKey | null> {
  return wish === null ? null : wrapDataKey(core, ownerId, wish, randomKey());
}

/** The same with a data key that exists: a copy keeps the bytes of its source, and so their key. */
export async function wrapDataKey(
  core: Core,
  ownerId: AccountId,
  wish: RequestedEncryption,
  key: Uint8Array,
): Promise<WrappedDataKey> {
  const encryption = await wrap(core, ownerId, wish, key);
  return { encryption, dataKey: toDataKey(key, encryption) };
}

async function wrap(
  core: Core,
  ownerId: AccountId,
  wish: RequestedEncryption,
  key: Uint8Array,
): Promise<ObjectEncryption> {
  if (wish.kind === 'customer')
    return { kind: 'customer', wrappedKey: wrapKey(wish.key.bytes, key, BOUND) };
  if (wish.kind === 'server') {
    return { kind: 'server', wrappedKey: wrapWithMaster(core.settings.masterKeys, key, BOUND) };
  }
  const { isDoubled, isBucketKey, context } = wish;
  const keyId = wish.keyId ?? MANAGED_KEY_ID;
  const named = await unwrapKmsKeyFor(core, keyId, ownerId);
  const wrappedKey = wrapKey(named, key, boundTo(context));
  named.fill(0);
  return { kind: 'named', keyId, wrappedKey, isDoubled, isBucketKey, context };
}

/** Where a key was sent or not sent, in S3's words. */
const REFUSALS = {
  read: {
    missing:
      'The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.',
    needless: 'The encryption parameters are not applicable to this object.',
  },
  part: {
    missing:
      'The multipart upload initiate requested encryption. Subsequent part requests must include the appropriate encryption parameters.',
    needless:
      'The multipart upload initiate did not request encryption. Please resend the request without sending encryption parameters.',
  },
} as const;

/**
 * The key of what is encrypted so, null for null. `customerKey`: what the request brought.
 * InvalidRequest when it must have brought a key and did not, brought one for nothing, or another
 * one than that of the write; and the errors of unwrapKmsKey and unwrapWithMaster. Cost: 20 µs; for
 * a named key twice that and a look-up in the directory.
 */
export async function unwrapDataKey(
  core: KeyCore,
  encryption: ObjectEncryption | null,
  customerKey: CustomerKey | null,
  use: keyof typeof REFUSALS = 'read',
): Promise<DataKey | null> {
  if (encryption?.kind === 'customer' || customerKey !== null) {
    return openWithCustomerKey(encryption, customerKey, use);
  }
  if (encryption === null) return null;
  if (encryption.kind === 'server') {
    return toDataKey(
      unwrapWithMaster(core.settings.masterKeys, encryption.wrappedKey, BOUND),
      encryption,
    );
  }
  const named = await unwrapKmsKey(core, encryption.keyId);
  const key = unwrapKey(named, encryption.wrappedKey, boundTo(encryption.context));
  named.fill(0);
  if (key === null) {
    throw new StorageError('InternalError', {
      detail: `A key wrapped by the key ${encryption.keyId} is damaged.`,
    });
  }
  return toDataKey(key, encryption);
}

/**
 * The part of unwrapDataKey that needs nobody but the client: proves that the request brought the
 * right key, or rightly none. Null when the client's key has nothing to do with it.
 */
export function openWithCustomerKey(
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
  // The tag of the wrapped key tells a wrong key, and is compared in constant time; the key's MD5
  // is not kept at all.
  const key = unwrapKey(customerKey.bytes, encryption.wrappedKey, BOUND);
  if (key === null)
    throw refused('The provided encryption parameters did not match the ones used originally.');
  return toDataKey(key, encryption);
}

/** Whether two keys of clients are the same. */
export function isSameKey(a: CustomerKey, b: CustomerKey): boolean {
  return isEqualInConstantTime(a.bytes.toHex(), b.bytes.toHex());
}

const BOUND = 'data key';

/** What the client bound to the object must come again. */
function boundTo(context: string | null): string {
  return context === null ? BOUND : `${BOUND} ${context}`;
}
