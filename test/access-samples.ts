// Access of buckets that tests make: open to everyone's reads, by policy, and what follows from
// that.
import {
  type BucketAccess,
  PRIVATE_ACCESS,
  type PublicReads,
} from '../src/domain/bucket-access.ts';

/** A policy of these statements; what one does not say itself is as `given`, or it allows. */
export function policyOf(given: object, statements: readonly object[]): string {
  const Statement = statements.map((statement) => ({ Effect: 'Allow', ...given, ...statement }));
  return JSON.stringify({ Version: '2012-10-17', Statement });
}

/** The policy that opens every object, or those under a prefix, to everyone. */
export function publicPolicy(bucket: string, prefix = ''): string {
  return policyOf(
    { Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/${prefix}*` },
    [{}],
  );
}

const NO_READS: PublicReads = {
  open: [],
  mayOpen: [],
  closed: [],
  mayClose: [],
  isAclHeard: false,
  isAllOwned: false,
  listing: 'no',
};

/**
 * For tests below core, which work nothing out: what readers see of a bucket whose objects are
 * everyone's.
 */
export const PUBLIC_ACCESS: BucketAccess = {
  ...PRIVATE_ACCESS,
  publicReads: { ...NO_READS, open: [''] },
};

/** The access of a bucket that everyone may read by these rules. */
export function accessWithReads(reads: Partial<PublicReads>): BucketAccess {
  return { ...PRIVATE_ACCESS, publicReads: { ...NO_READS, ...reads } };
}
