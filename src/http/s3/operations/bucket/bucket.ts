// Buckets as wholes: list, make, head, delete; and the two settings that never
// change here, region and versioning. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html,
// API_CreateBucket.html and siblings

import { grantsOf } from '../../../../core/auth/new-object-access.ts';
import { createBucket } from '../../../../core/buckets/create-bucket.ts';
import { deleteBucket } from '../../../../core/buckets/delete-bucket.ts';
import { listBuckets } from '../../../../core/buckets/list-buckets.ts';
import type { Core } from '../../../../core/core.ts';
import { SETTING_MAX_BYTES } from '../../../../core/limits.ts';
import {
  type BucketAccess,
  type ObjectOwnership,
  PRIVATE_ACCESS,
} from '../../../../domain/bucket-access.ts';
import { type BucketSettings, NO_SETTINGS } from '../../../../domain/bucket-settings.ts';
import { StorageError } from '../../../../domain/errors.ts';
import {
  type BucketLocation,
  locationOfRegion,
  parseBucketLocation,
} from '../../../../domain/locations/bucket-locations.ts';
import type { BucketRecord } from '../../../../domain/nouns.ts';
import type { OwnedBucket } from '../../../../ports/directory.ts';
import { noteChange } from '../../../fresh-by.ts';
import {
  type AccountCall,
  type BucketCall,
  emptyResponse,
  type NewBucketCall,
  type S3Response,
  xmlResponse,
} from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import {
  type CreateBucketConfiguration,
  readCreateBucketConfiguration,
} from '../../formats/create-bucket-document.ts';
import { invalidArgument } from '../../formats/invalid-argument.ts';
import { decodeToken, encodeToken, readCount } from '../../formats/paging.ts';
import {
  element,
  escapeXml,
  s3Document,
  textElement,
  timeElement,
} from '../../formats/xml-write.ts';
import { readAclHeaders } from '../../headers/acl-request.ts';
import { parseOwnership } from './public-access.ts';

/**
 * Rows of one page of buckets. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html
 */
const LIST_MAX_BUCKETS = 10_000;
/**
 * The region of S3 that has no name in GetBucketLocation, and that clients name
 * when they have none.
 */
const CLASSIC_REGION = 'us-east-1';
/**
 * A service of this region is everywhere and nowhere: it takes any location
 * constraint.
 */
const ANY_REGION = 'auto';

const LOCK_HEADER = 'x-amz-bucket-object-lock-enabled';
const NO_CONFIGURATION: CreateBucketConfiguration = { region: null, tags: null };

const PAGE_PARAMETERS = ['prefix', 'max-buckets', 'continuation-token', 'bucket-region'];

/**
 * The account's buckets in byte order of their names. InvalidArgument. Cost: one
 * read of the directory.
 */
export async function answerListBuckets(call: AccountCall, core: Core): Promise<S3Response> {
  const { account, query, region } = call;
  const prefix = query.get('prefix') ?? '';
  const token = query.get('continuation-token') || null;
  const limit = readCount(query, 'max-buckets', LIST_MAX_BUCKETS, 1, LIST_MAX_BUCKETS);
  const after = token === null ? '' : decodeToken('b1', token);
  const wantedRegion = query.get('bucket-region') || region;
  const buckets =
    wantedRegion === region
      ? await listBuckets(core, account, { prefix, after, limit: limit + 1 })
      : [];
  const page = buckets.slice(0, limit);
  const last = page.at(-1);
  const next = buckets.length > limit && last !== undefined ? encodeToken('b1', last.name) : null;
  const shownRegion = PAGE_PARAMETERS.some((name) => query.has(name)) ? region : null;
  return xmlResponse(
    s3Document(
      'ListAllMyBucketsResult',
      element(
        'Owner',
        textElement('ID', account.id) + textElement('DisplayName', account.displayName),
      ) +
        element('Buckets', page.map((bucket) => bucketRow(bucket, shownRegion)).join('')) +
        textElement('ContinuationToken', next) +
        textElement('Prefix', query.has('prefix') ? prefix : null),
    ),
  );
}

function bucketRow(bucket: OwnedBucket, region: string | null): string {
  return element(
    'Bucket',
    textElement('Name', bucket.name) +
      timeElement('CreationDate', bucket.createdAtMs) +
      textElement('BucketRegion', region),
  );
}

/**
 * Makes a bucket; one that the account has already, with the same access, is left
 * as it is and answered 200, as in S3's first region. Errors: BucketAlreadyExists
 * (another account's, or with other access), InvalidBucketName, those of
 * readAclHeaders, InvalidBucketAclWithObjectOwnership, MalformedXML,
 * IllegalLocationConstraintException, InvalidLocationConstraint, InvalidTag.
 */
export async function answerCreateBucket(call: NewBucketCall, core: Core): Promise<S3Response> {
  const { account, bucketName } = call;
  const ownership = readOwnership(call.header('x-amz-object-ownership'));
  const requested = await readAclHeaders(call, 'bucket');
  const owners = { ownerId: account.id, bucketOwnerId: account.id };
  const acl = requested === null ? null : grantsOf(requested, owners);
  if (ownership === 'BucketOwnerEnforced' && acl !== null) {
    throw new StorageError('InvalidBucketAclWithObjectOwnership');
  }
  const document = await readDocument(call, SETTING_MAX_BYTES);
  const configuration =
    document.length > 0 ? readCreateBucketConfiguration(document) : NO_CONFIGURATION;
  const location = readLocation(core, configuration.region);
  if (location === null) requireLocation(configuration.region, call.region);
  const access = { ...PRIVATE_ACCESS, acl, ownership };
  const lock: Partial<BucketSettings> = readRequestedLock(call)
    ? { versioning: 'enabled', objectLock: { defaultRetention: null } }
    : {};
  const settings = { ...NO_SETTINGS, ...lock, tags: configuration.tags };
  const { record, isNew } = await createBucket(
    core,
    account,
    bucketName,
    access,
    settings,
    location,
  );
  if (isNew) noteChange(call.request, record, 'readPolicy');
  else requireSameAccess(record, { acl, ownership });
  return emptyResponse(200, { location: `/${record.name}` });
}

/**
 * Whether the bucket shall have object lock, and with it versioning.
 * InvalidArgument.
 */
function readRequestedLock(call: NewBucketCall): boolean {
  const value = call.header(LOCK_HEADER);
  const text = value?.trim().toLowerCase() ?? 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  throw invalidArgument(LOCK_HEADER, value ?? '', `${LOCK_HEADER} must be true or false`);
}

function readOwnership(text: string | null): ObjectOwnership | null {
  if (text === null) return null;
  const ownership = parseOwnership(text);
  if (ownership === null)
    throw invalidArgument('x-amz-object-ownership', text, 'Invalid x-amz-object-ownership header');
  return ownership;
}

/**
 * Refuses a bucket that exists with other access: making it must neither drop the
 * requested list nor replace the one there.
 */
function requireSameAccess(
  record: BucketRecord,
  requested: Pick<BucketAccess, 'acl' | 'ownership'>,
): void {
  const { acl, ownership } = record.access;
  const isSameOwnership = requested.ownership === null || requested.ownership === ownership;
  if (isSameOwnership && JSON.stringify(acl) === JSON.stringify(requested.acl)) return;
  throw new StorageError('BucketAlreadyExists', {
    detail: 'You have this bucket already, with other access. Change it where it is.',
    fields: { BucketName: record.name },
  });
}

/**
 * Where the bucket is to live, on a platform with locations: one of those, or what is
 * near a region of AWS; null: nobody chose.
 */
function readLocation(core: Core, constraint: string | null): BucketLocation | null {
  if ((core.settings.bucketLocation ?? null) === null || constraint === null) return null;
  return parseBucketLocation(constraint) ?? locationOfRegion(constraint);
}

function requireLocation(location: string | null, region: string): void {
  if (
    location === null ||
    location === region ||
    location === CLASSIC_REGION ||
    location === ANY_REGION
  )
    return;
  const fields = { LocationConstraint: location };
  if (!/^[A-Za-z0-9-]{1,63}$/.test(location))
    throw new StorageError('InvalidLocationConstraint', { fields });
  if (region === ANY_REGION) return;
  throw new StorageError('IllegalLocationConstraintException', {
    detail:
      `The ${location} location constraint is incompatible for the region specific endpoint ` +
      'this request was sent to.',
    fields,
  });
}

/**
 * A 200 without a body: authorization has found the bucket and that it may be
 * listed.
 */
export function answerHeadBucket(call: BucketCall): S3Response {
  return emptyResponse(200, {
    'x-amz-bucket-region': call.region,
    'x-amz-access-point-alias': 'false',
  });
}

/** Deletes an empty bucket. Errors: BucketNotEmpty. */
export async function answerDeleteBucket(call: BucketCall, core: Core): Promise<S3Response> {
  await deleteBucket(core, call.bucket);
  return emptyResponse(204);
}

/** The region of the service, which is every bucket's. */
export function answerGetBucketLocation(call: BucketCall): S3Response {
  const region = call.region === CLASSIC_REGION ? '' : call.region;
  return xmlResponse(s3Document('LocationConstraint', escapeXml(region)));
}
