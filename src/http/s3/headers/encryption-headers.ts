// Encryption at rest in headers of requests and responses: SSE-C (the client's key
// in headers), SSE-S3 and SSE-KMS. Used by the operations that write, read and
// copy. A key of a client stays in the value that is returned here and reaches no
// log and no error. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/serv-side-encryption.html;
// texts of errors are S3's.
import type { CustomerKey, RequestedEncryption } from '../../../core/encryption/envelope.ts';
import { isKmsKeyId } from '../../../core/encryption/kms-keys.ts';
import { isJsonObject } from '../../../core/json.ts';
import { ENCRYPTION_CONTEXT_MAX_LENGTH } from '../../../core/limits.ts';
import { isEqualInConstantTime, md5Base64 } from '../../../crypto/hash.ts';
import type { BucketEncryption } from '../../../domain/bucket-settings.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { ObjectEncryption } from '../../../domain/object-facts.ts';
import { atRestHeaders } from '../../semantics/at-rest-headers.ts';
import { invalidArgument } from '../formats/invalid-argument.ts';
import type { RequestHeaders } from './request-headers.ts';

const SSE = 'x-amz-server-side-encryption';
const KEY_ID = `${SSE}-aws-kms-key-id`;
const CONTEXT = `${SSE}-context`;
const BUCKET_KEY = `${SSE}-bucket-key-enabled`;
const AES256 = 'AES256';
const KMS = 'aws:kms';
const DOUBLED_KMS = 'aws:kms:dsse';
const CUSTOMER_KEY_BYTES = 32;

/** The headers by which a write says how it is encrypted. */
export const ENCRYPTION_HEADERS: readonly string[] = [
  SSE,
  KEY_ID,
  CONTEXT,
  BUCKET_KEY,
  `${SSE}-customer-algorithm`,
  `${SSE}-customer-key`,
  `${SSE}-customer-key-md5`,
];

/**
 * A request that may carry a key: `isConfidential` says whether its connection may.
 */
type EncryptionRequest = Pick<RequestHeaders, 'header'> & { readonly isConfidential: boolean };

/** The texts of S3 for what is wrong with the headers of SSE-C. */
const WITH_CUSTOMER_KEYS =
  'Requests specifying Server Side Encryption with Customer provided keys must';

/**
 * The client's key of a request; with a prefix, that for a copy's source. Null when
 * it has none. InvalidArgument, InvalidEncryptionAlgorithmError, InvalidRequest
 * (not over a secure connection).
 */
export function readCustomerKey(
  request: EncryptionRequest,
  prefix: '' | 'copy-source-' = '',
): CustomerKey | null {
  const read = (name: string) =>
    request.header(`x-amz-${prefix}server-side-encryption-customer-${name}`);
  const [algorithm, key, md5] = [read('algorithm'), read('key'), read('key-md5')];
  if (algorithm === null && key === null && md5 === null) return null;
  const refused = (detail: string) => invalidArgument(SSE, 'null', detail);
  if (algorithm === null)
    throw refused(`${WITH_CUSTOMER_KEYS} provide a valid encryption algorithm.`);
  if (algorithm !== AES256) {
    throw new StorageError('InvalidEncryptionAlgorithmError', {
      fields: { ArgumentName: SSE, ArgumentValue: algorithm },
    });
  }
  if (!request.isConfidential) {
    throw new StorageError('InvalidRequest', {
      detail: `${WITH_CUSTOMER_KEYS} be made over a secure connection.`,
    });
  }
  if (key === null) throw refused(`${WITH_CUSTOMER_KEYS} provide an appropriate secret key.`);
  if (md5 === null)
    throw refused(`${WITH_CUSTOMER_KEYS} provide the client calculated MD5 of the secret key.`);
  const bytes = decodeKey(key);
  if (bytes === null) throw refused('The secret key was invalid for the specified algorithm.');
  const computed = md5Base64(bytes);
  if (!isEqualInConstantTime(computed, md5)) {
    throw refused('The calculated MD5 hash of the key did not match the hash that was provided.');
  }
  return { bytes, md5: computed };
}

function decodeKey(text: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.fromBase64(text);
    return bytes.length === CUSTOMER_KEY_BYTES ? bytes : null;
  } catch {
    return null;
  }
}

/**
 * How a new object shall be encrypted: as the request says, else as the bucket does
 * by default, else not at all (null). Errors: those of readCustomerKey,
 * InvalidArgument, AccessDenied (the bucket takes no keys of clients).
 */
export function readRequestedEncryption(
  request: EncryptionRequest,
  settings: BucketEncryption | null,
): RequestedEncryption | null {
  const sse = request.header(SSE);
  const hasCustomerHeader = ['algorithm', 'key', 'key-md5'].some(
    (name) => request.header(`${SSE}-customer-${name}`) !== null,
  );
  if (sse !== null && hasCustomerHeader) {
    throw invalidArgument(
      SSE,
      sse,
      'Server Side Encryption with Customer provided key is incompatible with the ' +
        'encryption method specified',
    );
  }
  if (sse !== KMS && sse !== DOUBLED_KMS) refuseKmsHeaders(request);
  const key = readCustomerKey(request);
  if (key !== null) {
    if (settings?.refusesCustomerKeys === true) throw blocked();
    return { kind: 'customer', key };
  }
  if (sse === null) return defaultEncryptionOf(settings);
  if (sse === AES256) return { kind: 'server' };
  if (sse !== KMS && sse !== DOUBLED_KMS) {
    throw invalidArgument(SSE, sse, 'The encryption method specified is not supported');
  }
  return {
    kind: 'named',
    keyId: readKeyId(request.header(KEY_ID)),
    isDoubled: sse === DOUBLED_KMS,
    isBucketKey: readBucketKey(request.header(BUCKET_KEY)) ?? settings?.isBucketKey ?? false,
    context: readContext(request.header(CONTEXT)),
  };
}

/** The default encryption of the bucket, for writes that name none. */
export function defaultEncryptionOf(settings: BucketEncryption | null): RequestedEncryption | null {
  if (settings === null) return null;
  const { standard, isBucketKey } = settings;
  return standard.kind === 'server'
    ? { kind: 'server' }
    : { ...standard, isBucketKey: isBucketKey ?? false, context: null };
}

/** Refuses headers that mean something with SSE-KMS alone. */
function refuseKmsHeaders(request: EncryptionRequest): void {
  for (const name of [KEY_ID, CONTEXT]) {
    const value = request.header(name);
    if (value === null) continue;
    throw invalidArgument(
      name,
      value,
      `Server Side Encryption with AWS KMS managed key requires HTTP header ${SSE} : ${KMS}`,
    );
  }
}

function readKeyId(value: string | null): string | null {
  if (value === null || value === '') return null;
  if (isKmsKeyId(value)) return value;
  throw invalidArgument(KEY_ID, value, 'Invalid KMS key id.');
}

function readBucketKey(value: string | null): boolean | null {
  if (value === null) return null;
  const text = value.toLowerCase();
  if (text === 'true' || text === 'false') return text === 'true';
  throw invalidArgument(BUCKET_KEY, value, 'The value must be true or false.');
}

/** Base64 of a JSON object of texts, kept as it came. */
function readContext(value: string | null): string | null {
  if (value === null) return null;
  if (value.length <= ENCRYPTION_CONTEXT_MAX_LENGTH && isContext(value)) return value;
  throw invalidArgument(
    CONTEXT,
    value.slice(0, ENCRYPTION_CONTEXT_MAX_LENGTH),
    'The encryption context is not valid.',
  );
}

/**
 * Base64 without the blanks that fromBase64 skips: the text comes back as a header,
 * and may have come in a query.
 */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function isContext(value: string): boolean {
  if (!BASE64.test(value)) return false;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.fromBase64(value),
    );
    const context: unknown = JSON.parse(text);
    return (
      isJsonObject(context) && Object.values(context).every((entry) => typeof entry === 'string')
    );
  } catch {
    return false;
  }
}

function blocked(): StorageError {
  return new StorageError('AccessDenied', {
    detail:
      'This bucket has blocked upload requests that specify Server Side Encryption with ' +
      'Customer provided keys (SSE-C). Please specify a different server-side encryption ' +
      'type.',
  });
}

/**
 * A read must not say how the object was encrypted. InvalidArgument. Source:
 * API_GetObject (x-amz-server-side-encryption).
 */
export function refuseEncryptionOfRead(request: EncryptionRequest): void {
  for (const name of [SSE, KEY_ID]) {
    const value = request.header(name);
    if (value !== null)
      throw invalidArgument(name, value, `${name} header is not supported for this operation.`);
  }
}

/**
 * Whether a request names an encryption, which is a change for a copy onto itself.
 */
export function namesEncryption(request: EncryptionRequest): boolean {
  return request.header(SSE) !== null || request.header(`${SSE}-customer-algorithm`) !== null;
}

/** Headers of an encryption for a client that wrote the object, or may read it. */
export function encryptionHeaders(
  encryption: ObjectEncryption | null,
  customerKey: CustomerKey | null,
): Record<string, string> {
  if (encryption?.kind !== 'customer') return atRestHeaders(encryption);
  if (customerKey === null) return {};
  return { [`${SSE}-customer-algorithm`]: AES256, [`${SSE}-customer-key-md5`]: customerKey.md5 };
}

/**
 * Headers of the response to a write, which may have bound an encryption context.
 */
export function writtenEncryptionHeaders(
  encryption: ObjectEncryption | null,
  customerKey: CustomerKey | null,
): Record<string, string> {
  const headers = encryptionHeaders(encryption, customerKey);
  if (encryption?.kind === 'named' && encryption.context !== null)
    headers[CONTEXT] = encryption.context;
  return headers;
}

/**
 * The client's key of a requested encryption; null: the server has the key, or
 * there is none.
 */
export function customerKeyOf(requested: RequestedEncryption | null): CustomerKey | null {
  return requested?.kind === 'customer' ? requested.key : null;
}
