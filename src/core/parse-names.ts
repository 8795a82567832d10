// The parsers of names that clients send: they alone make the branded types
// BucketName and ObjectKey. Called by every surface.

import { StorageError } from '../domain/errors.ts';
import type { BucketName, ObjectKey } from '../domain/nouns.ts';
import { KEY_MAX_BYTES } from './limits.ts';

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
/**
 * Prefixes and suffixes that S3 reserves. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
 */
const RESERVED_PREFIXES = ['xn--', 'sthree-', 'amzn-s3-demo-'];
const RESERVED_SUFFIXES = ['-s3alias', '--ol-s3', '.mrap', '--x-s3', '--table-s3'];

/** Whether S3 accepts the name for a general purpose bucket. */
export function isBucketName(text: string): boolean {
  return (
    BUCKET_NAME.test(text) &&
    !text.includes('..') &&
    !IPV4.test(text) &&
    !RESERVED_PREFIXES.some((prefix) => text.startsWith(prefix)) &&
    !RESERVED_SUFFIXES.some((suffix) => text.endsWith(suffix))
  );
}

/** Parses a bucket name. InvalidBucketName. */
export function parseBucketName(text: string): BucketName {
  if (!isBucketName(text))
    throw new StorageError('InvalidBucketName', { fields: { BucketName: text.slice(0, 255) } });
  return text as BucketName;
}

const encoder = new TextEncoder();

/**
 * Parses a decoded key: well-formed Unicode of 1 to 1,024 bytes. KeyTooLongError,
 * InvalidURI (a lone surrogate, or empty).
 */
export function parseObjectKey(text: string): ObjectKey {
  if (text === '' || !text.isWellFormed()) throw new StorageError('InvalidURI');
  const isSurelyShort = text.length * 3 <= KEY_MAX_BYTES;
  if (!isSurelyShort) {
    const sizeBytes = encoder.encode(text).length;
    if (sizeBytes > KEY_MAX_BYTES) {
      throw new StorageError('KeyTooLongError', {
        fields: { Size: `${sizeBytes}`, MaxSizeAllowed: `${KEY_MAX_BYTES}` },
      });
    }
  }
  return text as ObjectKey;
}
