// The condition keys of a request, for the policy that is asked about it: what
// stands in its headers, its query, its connection, and in the object that it is
// about. Values are looked up only when a statement names their key. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/amazon-s3-policy-keys.html
// and
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
import type { AccessRecord } from '../../core/auth/decide.ts';
import { conditionKey } from '../../core/auth/policy/pattern.ts';
import type { Principal } from '../../domain/nouns.ts';
import type { Tags, VersionChange } from '../../domain/object-facts.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { HttpRequest } from '../request.ts';
import { decodeFormText, type Query } from '../semantics/raw-path.ts';

/** The parts of a call that the values come from. */
export type ConditionSource = {
  readonly request: Pick<HttpRequest, 'isSecure' | 'remoteAddress' | 'tls'>;
  /** S3's name of what is asked. */
  readonly operation: string;
  readonly query: Query;
  readonly principal: Principal;
  readonly region: string;
  readonly nowMs: number;
  /** `REST-HEADER`, `REST-QUERY-STRING`, `POST`; null without a signature. */
  readonly authType: string | null;
  /**
   * `AWS4-HMAC-SHA256`, or `AWS` for Signature Version 2; null without a signature.
   */
  readonly signatureVersion: string | null;
  /**
   * The time that the signature covers; null without one, and where it covers none.
   */
  readonly signedAtMs: number | null;
  /** Tags that the headers set. */
  requestTags(): Tags | null;
  header(name: string): string | null;
};

/** What else is known when a decision is made. */
export type ConditionSubject = {
  readonly record: AccessRecord;
  /** Tags of the object that is read or changed. */
  readonly existingTags: Tags | null;
  /** What the request sets in its document. */
  readonly change: VersionChange;
  /**
   * In place of the query's: what a listing would have to ask for to find the key.
   */
  readonly prefix: string | null;
};

type Reader = (source: ConditionSource, subject: ConditionSubject) => string | null;

const header =
  (name: string): Reader =>
  (source) =>
    source.header(name);
const query =
  (name: string): Reader =>
  (source) =>
    source.query.get(name);

const accountId = ({ principal }: ConditionSource) =>
  principal.kind === 'account' ? principal.account.id : null;
const rootArn = (id: string | null) => (id === null ? null : `arn:aws:iam::${id}:root`);
const isSigned = ({ principal }: ConditionSource) => principal.kind === 'account';

/**
 * Whether a write makes an object. Beginning an upload and sending its parts do
 * not: they take no conditions, so policies that demand one must be able to leave
 * them out. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html
 */
const OBJECT_CREATION: ReadonlyMap<string, string> = new Map([
  ['PutObject', 'true'],
  ['CopyObject', 'true'],
  ['PostObject', 'true'],
  ['CompleteMultipartUpload', 'true'],
  ['CreateMultipartUpload', 'false'],
  ['UploadPart', 'false'],
  ['UploadPartCopy', 'false'],
]);

/** Headers whose key is their own name behind `s3:`. */
const HEADER_KEYS = [
  'x-amz-acl',
  'x-amz-content-sha256',
  'x-amz-grant-full-control',
  'x-amz-grant-read',
  'x-amz-grant-read-acp',
  'x-amz-grant-write',
  'x-amz-grant-write-acp',
  'x-amz-metadata-directive',
  'x-amz-object-ownership',
  'x-amz-server-side-encryption',
  'x-amz-server-side-encryption-aws-kms-key-id',
  'x-amz-server-side-encryption-customer-algorithm',
  'x-amz-storage-class',
  'x-amz-website-redirect-location',
  'if-match',
  'if-none-match',
];

const READERS: ReadonlyMap<string, Reader> = new Map(
  (
    [
      ['aws:CurrentTime', ({ nowMs }) => new Date(nowMs).toISOString()],
      ['aws:EpochTime', ({ nowMs }) => `${Math.floor(nowMs / 1000)}`],
      ['aws:PrincipalAccount', accountId],
      ['aws:PrincipalArn', (source) => rootArn(accountId(source))],
      ['aws:PrincipalIsAWSService', () => 'false'],
      ['aws:PrincipalType', (source) => (isSigned(source) ? 'Account' : 'Anonymous')],
      ['aws:Referer', header('referer')],
      ['aws:RequestedRegion', ({ region }) => region],
      ['aws:ResourceAccount', (_, { record }) => record.ownerId],
      ['aws:SecureTransport', ({ request }) => `${request.isSecure}`],
      ['aws:SourceIp', ({ request }) => request.remoteAddress],
      ['aws:UserAgent', header('user-agent')],
      ['aws:ViaAWSService', () => 'false'],
      ['aws:userid', (source) => accountId(source) ?? 'anonymous'],
      ['s3:ObjectCreationOperation', ({ operation }) => OBJECT_CREATION.get(operation) ?? null],
      ['s3:ResourceAccount', (_, { record }) => record.ownerId],
      ['s3:TlsVersion', ({ request }) => request.tls?.()?.version ?? null],
      ['s3:VersionId', query('versionId')],
      ['s3:authType', ({ authType }) => authType],
      ['s3:delimiter', query('delimiter')],
      ['s3:max-keys', query('max-keys')],
      ['s3:object-lock-legal-hold', legalHold],
      ['s3:object-lock-mode', (source, subject) => retention(source, subject).mode],
      ['s3:object-lock-remaining-retention-days', remainingRetentionDays],
      ['s3:object-lock-retain-until-date', (source, subject) => retention(source, subject).until],
      ['s3:prefix', (source, { prefix }) => prefix ?? source.query.get('prefix')],
      ['s3:signatureAge', signatureAge],
      ['s3:signatureversion', ({ signatureVersion }) => signatureVersion],
      ['s3:x-amz-copy-source', copySource],
      ...HEADER_KEYS.map((name): [string, Reader] => [`s3:${name}`, header(name)]),
    ] as [string, Reader][]
  ).map(([key, reader]) => [conditionKey(key), reader]),
);

const REQUEST_TAG_KEYS = conditionKey('s3:RequestObjectTagKeys');
const EXISTING_TAG = conditionKey('s3:ExistingObjectTag/');
const REQUEST_TAG = conditionKey('s3:RequestObjectTag/');

/**
 * The values of one condition key in a request, in the light of what it is about;
 * null when it has none.
 */
export function conditionValues(
  source: ConditionSource,
  subject: ConditionSubject,
  key: string,
): readonly string[] | null {
  const requestTags = () => subject.change.tags ?? source.requestTags();
  if (key === REQUEST_TAG_KEYS) return Object.keys(requestTags() ?? {});
  if (key.startsWith(EXISTING_TAG))
    return tagOf(subject.existingTags, key.slice(EXISTING_TAG.length));
  if (key.startsWith(REQUEST_TAG)) return tagOf(requestTags(), key.slice(REQUEST_TAG.length));
  const value = READERS.get(key)?.(source, subject) ?? null;
  return value === null ? null : [value];
}

function tagOf(tags: Tags | null, key: string): readonly string[] | null {
  const value = tags !== null && Object.hasOwn(tags, key) ? tags[key] : undefined;
  return value === undefined ? null : [value];
}

/**
 * Greater than any bound: a signature of Version 2 does not tell its age, and must
 * not get round a policy that asks.
 */
const UNKNOWN_AGE = `${Number.MAX_SAFE_INTEGER}`;

/** Milliseconds since the signature was made. */
function signatureAge({ signatureVersion, signedAtMs, nowMs }: ConditionSource): string | null {
  if (signatureVersion === 'AWS') return UNKNOWN_AGE;
  return signedAtMs === null ? null : `${Math.max(0, nowMs - signedAtMs)}`;
}

/**
 * The source decoded, as the copy reads it, and without the slash that may stand
 * before the bucket.
 */
function copySource({ header }: ConditionSource): string | null {
  const value = header('x-amz-copy-source');
  if (value === null) return null;
  let decoded = value;
  try {
    decoded = decodeFormText(value);
  } catch {
    // Nothing can be copied from there.
  }
  return decoded.replace(/^\//, '');
}

/** The retention that the document sets, or the headers of a write. */
function retention({ header }: ConditionSource, { change }: ConditionSubject) {
  if (change.retention === undefined) {
    return {
      mode: header('x-amz-object-lock-mode'),
      until: header('x-amz-object-lock-retain-until-date'),
    };
  }
  if (change.retention === null) return { mode: null, until: null };
  return { mode: change.retention.mode, until: new Date(change.retention.untilMs).toISOString() };
}

function legalHold({ header }: ConditionSource, { change }: ConditionSubject): string | null {
  if (change.hasLegalHold === undefined) return header('x-amz-object-lock-legal-hold');
  return change.hasLegalHold ? 'ON' : 'OFF';
}

function remainingRetentionDays(source: ConditionSource, subject: ConditionSubject): string | null {
  const { nowMs } = source;
  const untilMs = Date.parse(retention(source, subject).until ?? '');
  return Number.isNaN(untilMs) ? null : `${Math.ceil((untilMs - nowMs) / DAY_MS)}`;
}
