// The lifecycle configuration of a bucket: put, get, delete, and a dry run, which
// is ours. What it does is core/lifecycle's, in the scheduled sweep.

import type { Core } from '../../../../core/core.ts';
import type { DueSubject } from '../../../../core/lifecycle/foresee-page.ts';
import { previewLifecycle } from '../../../../core/lifecycle/preview-lifecycle.ts';
import { validateRules } from '../../../../core/lifecycle/validate-rules.ts';
import { LIFECYCLE_MAX_BYTES } from '../../../../core/limits.ts';
import { setBucketSettings } from '../../../../core/opened-bucket/set-bucket-settings.ts';
import { parseIsoTime } from '../../../../core/time.ts';
import { StorageError } from '../../../../domain/errors.ts';
import {
  LIFECYCLE_PHASES,
  type LifecycleCursor,
  type TransitionMinimum,
} from '../../../../domain/lifecycle.ts';
import { type BucketCall, emptyResponse, type S3Response, xmlResponse } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import { invalidArgument } from '../../formats/invalid-argument.ts';
import { readLifecycle, writeLifecycle } from '../../formats/lifecycle-document.ts';
import { decodeToken, encodeToken } from '../../formats/paging.ts';

const MINIMUM = 'x-amz-transition-default-minimum-object-size';

/**
 * Replaces all rules. Errors: MalformedXML, InvalidArgument, InvalidRequest (no
 * digest too, as S3 wants one here), InvalidTag, NotImplemented (archive classes),
 * BadDigest. Cost: one commit.
 */
export async function answerPutBucketLifecycle(call: BucketCall, core: Core): Promise<S3Response> {
  const { clock, ids } = core.ports;
  const transitionMinimum = readMinimum(call.header(MINIMUM));
  const rules = readLifecycle(await readDocument(call, LIFECYCLE_MAX_BYTES, true), () =>
    ids.uploadId(),
  );
  validateRules(rules);
  const lifecycle = { rules, transitionMinimum, setAtMs: clock.nowMs() };
  await setBucketSettings(core, call.bucket, { lifecycle });
  return emptyResponse(200, { [MINIMUM]: transitionMinimum });
}

function readMinimum(value: string | null): TransitionMinimum {
  if (value === null || value === 'all_storage_classes_128K') return 'all_storage_classes_128K';
  if (value === 'varies_by_storage_class') return value;
  throw invalidArgument(MINIMUM, value, `Invalid ${MINIMUM} found`);
}

/** Shows the rules. Errors: NoSuchLifecycleConfiguration. */
export function answerGetBucketLifecycle(call: BucketCall): S3Response {
  const { settings, name } = call.bucket.record();
  if (settings.lifecycle === null) {
    throw new StorageError('NoSuchLifecycleConfiguration', { fields: { BucketName: name } });
  }
  return xmlResponse(writeLifecycle(settings.lifecycle.rules), {
    [MINIMUM]: settings.lifecycle.transitionMinimum,
  });
}

/** Deleting what is not there is no error. Cost: one commit. */
export async function answerDeleteBucketLifecycle(
  call: BucketCall,
  core: Core,
): Promise<S3Response> {
  await setBucketSettings(core, call.bucket, { lifecycle: null });
  return emptyResponse(204);
}

/**
 * Shows what the rules would do now, or at a time to come (`at`), as JSON; nothing
 * is done. A page may be short, and empty, and yet not the last: `next` goes back
 * as `continuation-token`. AccessDenied (not the owner), InvalidArgument. Cost: up
 * to 20 pages of the index.
 */
export async function answerDryRunBucketLifecycle(
  call: BucketCall,
  core: Core,
): Promise<S3Response> {
  const { query } = call;
  requireOwner(call);
  const atMs = readTime(query.get('at')) ?? core.ports.clock.nowMs();
  const token = query.get('continuation-token') || null;
  const { due, next } = await previewLifecycle(core, call.bucket, {
    atMs,
    from: token === null ? null : readCursor(token),
  });
  const answer = {
    bucket: call.bucket.record().name,
    at: new Date(atMs).toISOString(),
    items: due.map(toItem),
    next: next === null ? null : encodeToken('l1', JSON.stringify(next)),
  };
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(answer),
  };
}

/**
 * Refuses all but the owner: the dry run names keys and versions whatever rights
 * there are on them.
 */
function requireOwner({ principal, bucket }: BucketCall): void {
  if (principal.kind !== 'account' || principal.account.id !== bucket.record().ownerId) {
    throw new StorageError('AccessDenied');
  }
}

function readTime(text: string | null): number | null {
  if (text === null || text === '') return null;
  const timeMs = parseIsoTime(text);
  if (timeMs === null)
    throw invalidArgument('at', text, 'at must be a time of ISO 8601, like 2030-01-31T00:00:00Z');
  return timeMs;
}

function readCursor(token: string): LifecycleCursor {
  const refused = invalidArgument(
    'continuation-token',
    token,
    'The continuation token provided is incorrect',
  );
  let cursor: Partial<Record<keyof LifecycleCursor, unknown>>;
  try {
    cursor = JSON.parse(decodeToken('l1', token)) ?? {};
  } catch {
    throw refused;
  }
  const { prefix, afterKey, afterId, newerVersions } = cursor;
  const phase = LIFECYCLE_PHASES.find((known) => known === cursor.phase);
  const isCount =
    typeof newerVersions === 'number' && Number.isSafeInteger(newerVersions) && newerVersions >= 0;
  if (phase === undefined || typeof prefix !== 'string' || typeof afterKey !== 'string' || !isCount)
    throw refused;
  if (typeof afterId !== 'string') throw refused;
  return { phase, prefix, afterKey, afterId, newerVersions };
}

/**
 * `action`: what the index would do (domain/lifecycle.ts); `subject`: what it would
 * be done to.
 */
function toItem({ subject, decision }: DueSubject) {
  const { kind, key } = subject;
  const common = { action: decision.kind, subject: kind, key, ruleId: decision.ruleId };
  if (kind === 'upload') return { ...common, uploadId: subject.uploadId };
  const ofVersion = { ...common, versionId: subject.versionId };
  if (kind === 'lone-marker') return ofVersion;
  const { sizeBytes, storageClass } = subject;
  const to = decision.kind === 'transition' ? { toStorageClass: decision.storageClass } : {};
  return { ...ofVersion, sizeBytes, storageClass, ...to };
}
