// Canned access control lists. A bucket's is stored and enforced; an object has none of its own, it is as public as
// its bucket, so a request is refused when it asks for what the object would not be.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#canned-acl
import type { BucketAccess } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import { invalidArgument } from './paging.ts';

const HEADER = 'x-amz-acl';
const KNOWN: ReadonlySet<string> = new Set([
  'private',
  'public-read',
  'public-read-write',
  'authenticated-read',
  'aws-exec-read',
  'bucket-owner-read',
  'bucket-owner-full-control',
  'log-delivery-write',
]);

function requireKnown(value: string): void {
  if (!KNOWN.has(value)) throw invalidArgument(HEADER, value, 'The canned ACL is unknown.');
}

const notImplemented = (detail: string) => new StorageError('NotImplemented', { detail, fields: { Header: HEADER } });

/** The access that x-amz-acl gives a bucket. InvalidArgument, NotImplemented. */
export function parseBucketAcl(value: string): BucketAccess['acl'] {
  requireKnown(value);
  if (value === 'private' || value === 'public-read') return value;
  throw notImplemented(`The canned ACL ${value} is not implemented; private and public-read are.`);
}

/**
 * Refuses an object ACL that would not be in force. Writers own the bucket here, so the two bucket-owner ACLs give
 * nobody anything in a private bucket. InvalidArgument, NotImplemented.
 */
export function requireEffectiveObjectAcl(value: string | null, bucketAcl: BucketAccess['acl']): void {
  if (value === null) return;
  requireKnown(value);
  // What services with ACLs switched off accept, and what every object here grants.
  if (value === 'bucket-owner-full-control') return;
  const isPrivate = value === 'private' || value === 'bucket-owner-read';
  if (bucketAcl === 'private' ? isPrivate : value === 'public-read') return;
  throw notImplemented(
    `The ACL ${value} of an object is not implemented: objects are as public as their bucket, which is ${bucketAcl}.`,
  );
}
