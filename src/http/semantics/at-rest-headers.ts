// The headers that say how an object is encrypted at rest. Called by all surfaces.
// Pure.
import type { ObjectEncryption } from '../../domain/object-facts.ts';
import type { HeaderRecord } from './object-headers.ts';

/**
 * How a version is encrypted by the server, as every response about it says. What a
 * client encrypted with its own key only that client hears of
 * (s3/headers/encryption-headers.ts). Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html (Response
 * Syntax)
 */
export function atRestHeaders(encryption: ObjectEncryption | null): HeaderRecord {
  if (encryption === null || encryption.kind === 'customer') return {};
  if (encryption.kind === 'server') return { 'x-amz-server-side-encryption': 'AES256' };
  return {
    'x-amz-server-side-encryption': encryption.isDoubled ? 'aws:kms:dsse' : 'aws:kms',
    'x-amz-server-side-encryption-aws-kms-key-id': encryption.keyId,
    ...(encryption.isBucketKey
      ? { 'x-amz-server-side-encryption-bucket-key-enabled': 'true' }
      : {}),
  };
}
