// The condition keys of a request that nobody has sent: for questions of the JSON API
// about who may do what. It comes over TLS, is signed in its headers where the caller
// is an account, and sends nothing that the question does not name.
import type { AccessTarget } from '../../core/auth/access-check/check-access.ts';
import type { AccessRecord } from '../../core/auth/decide.ts';
import type { S3Action } from '../../core/auth/policy/actions.ts';
import { type ConditionValues, conditionKey } from '../../core/auth/policy/pattern.ts';
import type { Principal } from '../../domain/nouns.ts';
import { parseQuery } from '../semantics/raw-path.ts';
import { conditionValues } from './condition-values.ts';

/** The facts of a request that a question names; undefined: it leaves them open. */
export type HypotheticalRequest = {
  readonly sourceIp: string | undefined;
  /** Null: it sends none. */
  readonly referer: string | null | undefined;
  readonly nowMs: number;
  readonly region: string;
};

/** S3's operation for each action that a question may be about. */
const OPERATIONS: Partial<Record<S3Action, string>> = {
  's3:GetObject': 'GetObject',
  's3:PutObject': 'PutObject',
  's3:DeleteObject': 'DeleteObject',
  's3:ListBucket': 'ListObjectsV2',
};

/** The values of such a request, with that prefix of a listing. */
export function hypotheticalValues(
  { sourceIp, referer, nowMs, region }: HypotheticalRequest,
  record: AccessRecord,
  target: AccessTarget,
  { principal, action, prefix }: HypotheticalCall,
): ConditionValues {
  const isSigned = principal.kind === 'account';
  const source = {
    request: { isSecure: true, remoteAddress: sourceIp ?? null },
    operation: OPERATIONS[action] ?? '',
    query: parseQuery(prefix === null ? '' : `prefix=${encodeURIComponent(prefix)}`),
    principal,
    region,
    nowMs,
    authType: isSigned ? 'REST-HEADER' : null,
    signatureVersion: isSigned ? 'AWS4-HMAC-SHA256' : null,
    signedAtMs: isSigned ? nowMs : null,
    requestTags: () => null,
    header: (name: string) => (name === 'referer' ? (referer ?? null) : null),
  };
  const existingTags = target.kind === 'key' ? (target.object?.tags ?? null) : null;
  const subject = { record, existingTags, change: {}, prefix: null };
  return (key) => conditionValues(source, subject, key);
}

/** Who does what in a hypothetical request. */
export type HypotheticalCall = {
  readonly principal: Principal;
  readonly action: S3Action;
  readonly prefix: string | null;
};

const keys = (...names: readonly string[]): ReadonlySet<string> => new Set(names.map(conditionKey));
/** Keys that every request may have, whatever it does. */
const OPEN_KEYS = keys('aws:UserAgent', 's3:TlsVersion');
const SOURCE_IP = conditionKey('aws:SourceIp');
const REFERER = conditionKey('aws:Referer');
/** Beginnings of keys that only writes have: their headers. */
const WRITE_KEYS = [
  's3:x-amz-',
  's3:if-',
  's3:object-lock-',
  's3:RequestObjectTag',
  's3:RequestObjectTagKeys',
].map(conditionKey);
const EXISTING_TAG = conditionKey('s3:ExistingObjectTag/');

/** Whether the question leaves a condition key open. */
export function isOpenKey(
  { sourceIp, referer }: HypotheticalRequest,
  target: AccessTarget,
  action: S3Action,
  key: string,
): boolean {
  if (key === SOURCE_IP) return sourceIp === undefined;
  if (key === REFERER) return referer === undefined;
  if (OPEN_KEYS.has(key)) return true;
  if (key.startsWith(EXISTING_TAG)) return target.kind === 'prefix';
  return action === 's3:PutObject' && WRITE_KEYS.some((beginning) => key.startsWith(beginning));
}
