// Conditional requests: what If-Match and its kin decide. Reads are decided here,
// before any body is opened; the condition of a write is only read here, the index
// decides it in the same commit as the write. Source: RFC 9110 section 13;
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-requests.html

import { StorageError } from '../../domain/errors.ts';
import type { WriteCondition } from '../../domain/nouns.ts';
import { hasEntityTag, parseEntityTag } from './entity-tag.ts';
import { parseHttpDate } from './http-date.ts';

/**
 * The four headers as they came, or null. For copies: the x-amz-copy-source-if-*
 * ones.
 */
export type ReadConditions = {
  readonly ifMatch: string | null;
  readonly ifNoneMatch: string | null;
  readonly ifModifiedSince: string | null;
  readonly ifUnmodifiedSince: string | null;
};

/**
 * The conditions of a request without any; for those that know of fewer than all.
 */
export const NO_CONDITIONS: ReadConditions = {
  ifMatch: null,
  ifNoneMatch: null,
  ifModifiedSince: null,
  ifUnmodifiedSince: null,
};

/** The condition headers of a read, looked up by names in lower case. */
export function readConditions(header: (name: string) => string | null): ReadConditions {
  return {
    ifMatch: header('if-match'),
    ifNoneMatch: header('if-none-match'),
    ifModifiedSince: header('if-modified-since'),
    ifUnmodifiedSince: header('if-unmodified-since'),
  };
}

/** What an object is compared by. `etag` has no quotes and is strong. */
export type Validators = { readonly etag: string; readonly lastModifiedMs: number };

/**
 * Decides a read in the order of RFC 9110 section 13.2.2, dates at the resolution
 * of a second. A date that is none is as if it had not been sent. 'not-modified' is
 * a 304 for GET and HEAD; for a copy it is a 412 as well. Cost: 20 ns without
 * conditions, 0.1 to 0.3 µs with.
 */
export function evaluateRead(
  conditions: ReadConditions,
  validators: Validators,
): 'proceed' | 'not-modified' | 'precondition-failed' {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  if (ifMatch !== null) {
    if (!isAny(ifMatch) && !hasEntityTag(ifMatch, validators.etag, false))
      return 'precondition-failed';
  } else if (
    ifUnmodifiedSince !== null &&
    isModifiedSince(ifUnmodifiedSince, validators) === true
  ) {
    return 'precondition-failed';
  }
  if (ifNoneMatch !== null) {
    if (isAny(ifNoneMatch) || hasEntityTag(ifNoneMatch, validators.etag, true))
      return 'not-modified';
  } else if (ifModifiedSince !== null && isModifiedSince(ifModifiedSince, validators) === false) {
    return 'not-modified';
  }
  return 'proceed';
}

/**
 * Whether a Range header counts: no If-Range, the very tag of the object (weak ones
 * never), or its very date. Otherwise the whole object is the response. Source: RFC
 * 9110 section 13.1.5
 */
export function isIfRangeSatisfied(ifRange: string | null, validators: Validators): boolean {
  if (ifRange === null) return true;
  const dateMs = parseHttpDate(ifRange);
  if (dateMs !== null) return dateMs === floorToSecond(validators.lastModifiedMs);
  const tag = parseEntityTag(ifRange);
  return tag !== null && !tag.isWeak && tag.tag === validators.etag;
}

/**
 * Reads the condition of a write; null when there is none. NotImplemented for both
 * headers at once and for an If-None-Match that is neither `*` nor one tag, as S3
 * answers them. S3 itself takes no `*` in If-Match of a PUT (only of a DELETE) and
 * no tag in If-None-Match (501 each); RadosGW and its test suite want both, and
 * both are sound, so they are accepted. A list in If-Match matches nothing: S3
 * compares it as one text.
 */
export function parseWriteCondition(
  ifMatch: string | null,
  ifNoneMatch: string | null,
): WriteCondition | null {
  if (ifMatch === null && ifNoneMatch === null) return null;
  if (ifMatch !== null && ifNoneMatch !== null) {
    throw refused(
      'If-Match,If-None-Match',
      'Multiple conditional request headers present in the request',
    );
  }
  if (ifNoneMatch !== null) return { ifMatch: null, ifNoneMatch: readIfNoneMatch(ifNoneMatch) };
  return { ifMatch: readIfMatch(ifMatch ?? ''), ifNoneMatch: null };
}

function readIfMatch(header: string): string {
  if (isAny(header)) return '*';
  if (header.trim() === '') throw refusedValue('If-Match');
  const member = parseEntityTag(header);
  // A weak tag, a list, or `"*"` in quotes, which must not become the wildcard:
  // kept with its quotes or slash, none of which an etag has, so that it equals no
  // etag and the index answers as it does for any other that differs.
  const isComparable = member !== null && !member.isWeak && member.tag !== '*' && member.tag !== '';
  return isComparable ? member.tag : `"${header}"`;
}

function readIfNoneMatch(header: string): string {
  if (isAny(header)) return '*';
  const member = parseEntityTag(header);
  // Nothing here may be let through as "differs": the client would lose what it
  // wanted to protect.
  if (member === null || member.tag === '*' || member.tag === '')
    throw refusedValue('If-None-Match');
  return member.tag;
}

function refusedValue(header: string): StorageError {
  return refused(header, `We don't accept the provided value of ${header} header for this API`);
}

function refused(header: string, message: string): StorageError {
  return new StorageError('NotImplemented', {
    fields: { Header: header, additionalMessage: message },
  });
}

function isAny(header: string): boolean {
  return header === '*' || header.trim() === '*';
}

/** Null when the date is none. */
function isModifiedSince(date: string, validators: Validators): boolean | null {
  const dateMs = parseHttpDate(date);
  return dateMs === null ? null : floorToSecond(validators.lastModifiedMs) > dateMs;
}

function floorToSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
