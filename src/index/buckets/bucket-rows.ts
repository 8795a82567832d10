// How a bucket stands in its row, and back. Settings and access are JSON texts; what
// is not in a text was never set. Rows of the first programs have a canned ACL that
// also opened every object, and no grants: they are read as what they meant.
import { type BucketAccess, PRIVATE_ACCESS, type PublicReads } from '../../domain/bucket-access.ts';
import { type BucketSettings, NO_SETTINGS } from '../../domain/bucket-settings.ts';
import type { AccountId, BucketId, BucketName, BucketRecord } from '../../domain/nouns.ts';
import type { Grant } from '../../domain/object-facts.ts';

export type BucketRow = {
  readonly id: string;
  readonly name: string;
  readonly owner_id: string;
  readonly created_at_ms: number;
  readonly revision: number;
  readonly access: string;
  readonly settings: string;
};

/**
 * The columns of `BucketRow`. The record of a bucket that is split has a revision of its
 * own (index/shards/begin-shards.ts).
 */
export const BUCKET_COLUMNS = `id, name, owner_id, created_at_ms,
  coalesce(record_revision, revision) AS revision, access, settings`;

/** The record of a row of `buckets`. */
export function decodeBucket(row: BucketRow): BucketRecord {
  return {
    id: row.id as BucketId,
    name: row.name as BucketName,
    ownerId: row.owner_id as BucketRecord['ownerId'],
    createdAtMs: row.created_at_ms,
    revision: row.revision,
    access: decodeAccess(row.access, {
      name: row.name as BucketName,
      ownerId: row.owner_id as AccountId,
    }),
    settings: decodeSettings(row.settings),
  };
}

/** What is not in the text was never set: most buckets have none of it. */
function decodeSettings(text: string): BucketSettings {
  return text === '{}'
    ? NO_SETTINGS
    : { ...NO_SETTINGS, ...(JSON.parse(text) as Partial<BucketSettings>) };
}

/** The settings as the text of a row: those that were set. */
export function encodeSettings(settings: BucketSettings): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null)),
  );
}

/** What rows held until November 2026. */
type FirstForm = {
  readonly acl: 'private' | 'public-read';
  readonly policyJson: string | null;
  readonly policyPublicPrefixes: readonly string[];
};

/** `{}` for a private bucket. */
export function encodeAccess(access: BucketAccess): string {
  const set = Object.entries(access).filter(
    ([name, value]) => value !== PRIVATE_ACCESS[name as keyof BucketAccess],
  );
  return JSON.stringify(Object.fromEntries(set));
}

/** `bucket`: whose row it is, for what the first programs did not write. */
export function decodeAccess(
  text: string,
  bucket: { name: BucketName; ownerId: AccountId },
): BucketAccess {
  if (text === '{}') return PRIVATE_ACCESS;
  const stored = JSON.parse(text) as Partial<BucketAccess> | FirstForm;
  return 'policyPublicPrefixes' in stored
    ? translate(stored, bucket)
    : { ...PRIVATE_ACCESS, ...stored };
}

/**
 * `public-read` was the listing and every object; now the one is a grant and the
 * other a policy.
 */
function translate(
  stored: FirstForm,
  { name, ownerId }: { name: BucketName; ownerId: AccountId },
): BucketAccess {
  const isPublic = stored.acl === 'public-read';
  const open = isPublic ? [...stored.policyPublicPrefixes, ''] : stored.policyPublicPrefixes;
  const publicReads: PublicReads = {
    open: [...new Set(open)],
    mayOpen: [],
    closed: [],
    mayClose: [],
    isAclHeard: false,
    isAllOwned: false,
    listing: isPublic ? 'yes' : 'no',
  };
  return {
    ...PRIVATE_ACCESS,
    acl: isPublic ? publicReadGrants(ownerId) : null,
    policyJson: isPublic ? withPublicStatement(stored.policyJson, name) : stored.policyJson,
    publicReads: open.length > 0 ? publicReads : null,
  };
}

function publicReadGrants(ownerId: AccountId): readonly Grant[] {
  return [
    { grantee: { kind: 'group', group: 'AllUsers' }, permission: 'READ' },
    { grantee: { kind: 'account', id: ownerId }, permission: 'FULL_CONTROL' },
  ];
}

/**
 * Adds a public statement to a policy of the first programs, which held nothing but
 * statements of this kind.
 */
function withPublicStatement(policyJson: string | null, name: BucketName): string {
  const policy =
    policyJson === null
      ? {}
      : (JSON.parse(policyJson) as { Version?: string; Statement?: unknown });
  const known =
    policy.Statement === undefined
      ? []
      : Array.isArray(policy.Statement)
        ? policy.Statement
        : [policy.Statement];
  const added = {
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: `arn:aws:s3:::${name}/*`,
  };
  return JSON.stringify({ Version: '2012-10-17', ...policy, Statement: [...known, added] });
}
