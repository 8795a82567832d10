// The audit log of the S3 surface: who changed the settings of accounts and
// buckets. Objects are not among them, whoever writes them: access logs are for
// those.
import { auditDetail, beginAudit } from '../../../core/accounts/audit.ts';
import type { Core } from '../../../core/core.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { AccessKeyId, BucketRecord } from '../../../domain/nouns.ts';
import { ANONYMOUS_ID } from '../../../domain/pointer.ts';
import { FailureWithHeaders } from '../../failure-with-headers.ts';
import type { S3Call, S3Response } from '../call/call.ts';
import type { OperationName } from '../call/detect.ts';
import type { Operation } from '../operations/table/operation.ts';
import { OPERATIONS } from '../operations/table/operations.ts';
import type { Feature, Handle } from './feature.ts';

const CHANGES = /^(?:Create|Put|Delete|Purge)/;

/** Every operation on an account or a bucket itself that changes it. */
const AUDITED: ReadonlySet<OperationName> = new Set(
  (Object.entries(OPERATIONS) as [OperationName, Operation][])
    .filter(
      ([name, { scope }]) =>
        CHANGES.test(name) && ['account', 'new-bucket', 'bucket'].includes(scope),
    )
    .map(([name]) => name),
);

/** Headers that an entry repeats: such a change is made by them. */
const AUDITED_HEADERS = /^x-amz-(?:acl|grant-.*|object-ownership|bucket-object-lock-enabled)$/;
/** Parameters that prove who the caller is: none of a log's business. */
const PROOF = /^x-amz-/i;

export function createAudit(core: Core): Feature {
  return {
    operations: AUDITED,

    wrap: ({ call, record }, handle) => {
      return () => auditCall(core, call, record, handle);
    },
  };
}

/**
 * Runs a change. Its end is recorded behind the response; a crash before that
 * leaves an entry whose end is not known. Cost: one commit of the directory.
 */
async function auditCall(
  core: Core,
  call: S3Call,
  record: BucketRecord | null,
  handle: Handle,
): Promise<S3Response> {
  const { principal, request, requestId, operation } = call;
  const callerId = principal.kind === 'account' ? principal.account.id : null;
  const accessKeyId = principal.kind === 'account' ? principal.accessKeyId : null;
  const entry = await beginAudit(core, {
    action: operation,
    requestId,
    source: request.remoteAddress ?? 'unknown',
    target: targetOf(call),
    accountId: callerId ?? record?.ownerId ?? ANONYMOUS_ID,
    memberId: null,
    accessKeyId,
    credential: credentialOf(accessKeyId),
    detail: '',
  });
  const end = (status: number | null) => {
    const detail = detailOf(call);
    const alsoFor = record?.ownerId ?? null;
    core.ports.background.run('end-audit', () => entry.end({ status, detail, alsoFor }));
  };
  try {
    const response = await handle();
    end(response.status);
    return response;
  } catch (error) {
    if (isRefusal(error)) end(null);
    throw error;
  }
}

function credentialOf(accessKeyId: AccessKeyId | null): string {
  return accessKeyId === null ? 'nobody' : `access-key ${accessKeyId}`;
}

function targetOf({ request, query }: S3Call): string {
  const parameters = query.entries.filter(([name]) => !PROOF.test(name));
  const text = parameters
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
    .join('&');
  return text === '' ? request.rawPath : `${request.rawPath}?${text}`;
}

/** The document, if one was read, and what headers set. */
function detailOf({ request, headerNames, header }: S3Call): string {
  const names = [...new Set(headerNames())]
    .filter((name) => AUDITED_HEADERS.test(name.toLowerCase()))
    .toSorted();
  const lines = names.map((name) => `${name.toLowerCase()}: ${header(name) ?? ''}`.slice(0, 256));
  return [...lines, auditDetail(request.notes.document)].filter((line) => line !== '').join('\n');
}

/**
 * Whether nothing can have been changed. A fault of ours may have come after the
 * change.
 */
function isRefusal(error: unknown): boolean {
  const failure = error instanceof FailureWithHeaders ? error.failure : error;
  return failure instanceof StorageError && failure.code !== 'InternalError';
}
