// The hosting settings of a bucket: put, get, delete, as JSON. No operation of S3;
// it stands here because owners sign it as they sign all others. What the settings
// do is delivery/site's; docs/hosting.md is for owners.
import { stateTagOf } from '../../../../core/buckets/state-tag.ts';
import type { Core } from '../../../../core/core.ts';
import { checkRuleFiles } from '../../../../core/hosting/check-rule-files.ts';
import { hostNameOf } from '../../../../core/hosting/host-names.ts';
import { HOSTING_MAX_BYTES, readHosting } from '../../../../core/hosting/read-hosting.ts';
import { getHosting, removeHosting, setHosting } from '../../../../core/hosting/set-hosting.ts';
import { StorageError } from '../../../../domain/errors.ts';
import type { HostingSettings } from '../../../../domain/hosting.ts';
import type { BucketRecord } from '../../../../domain/nouns.ts';
import { hasEntityTag } from '../../../semantics/entity-tag.ts';
import { type BucketCall, emptyResponse, type S3Response } from '../../call/call.ts';
import { preconditionFailed } from '../../call/find-version.ts';
import { readDocument } from '../../call/read-document.ts';

/**
 * Replaces the settings; the response has all of them. Errors: InvalidRequest,
 * DomainAlreadyBound, DomainNotProven, MaxMessageLengthExceeded,
 * PreconditionRequired and PreconditionFailed as requireMeant says. Cost: that of
 * setHosting.
 */
export async function answerPutBucketHosting(call: BucketCall, core: Core): Promise<S3Response> {
  // The host of this request serves the API; bound to a bucket it would serve that
  // alone.
  const apiHosts = call.hasOwnOrigin ? [] : [hostNameOf(call.request.host)];
  const ownHosts = [...core.settings.ownHosts, ...apiHosts];
  const hosting = readHosting(await readDocument(call, HOSTING_MAX_BYTES), ownHosts);
  requireMeant(call, hosting);
  return jsonResponse(hosting, await setHosting(core, call.bucket, hosting));
}

/**
 * Settings are put whole, so a document that leaves domains out takes them from
 * visitors. That wants If-Match with the state that was seen: PreconditionRequired,
 * which names the domains. PreconditionFailed for another state.
 */
function requireMeant(call: BucketCall, { domains }: HostingSettings): void {
  const record = call.bucket.record();
  const ifMatch = call.header('if-match');
  if (
    ifMatch !== null &&
    ifMatch.trim() !== '*' &&
    !hasEntityTag(ifMatch, stateTagOf(record), false)
  ) {
    throw preconditionFailed('If-Match');
  }
  const listedHosts = new Set(domains.map(({ host }) => host));
  const unbound = (record.settings.hosting?.domains ?? [])
    .map(({ host }) => host)
    .filter((host) => !listedHosts.has(host));
  if (ifMatch !== null || unbound.length === 0) return;
  const hosts = unbound.join(', ');
  throw new StorageError('PreconditionRequired', {
    detail:
      `This would unbind ${hosts}: name what stays in \`domains\`, or send If-Match with the ` +
      'ETag of GET ?hosting.',
  });
}

/**
 * With `check` in the query: what the files of rules say instead. Errors:
 * NoSuchHostingConfiguration.
 */
export async function answerGetBucketHosting(call: BucketCall, core: Core): Promise<S3Response> {
  const hosting = getHosting(call.bucket);
  const record = call.bucket.record();
  if (!call.query.has('check')) return jsonResponse(hosting, record);
  return jsonResponse({ files: await checkRuleFiles(core, record.name, hosting) }, record);
}

/** Deleting what is not there is no error. Cost: two commits. */
export async function answerDeleteBucketHosting(call: BucketCall, core: Core): Promise<S3Response> {
  await removeHosting(core, call.bucket);
  return emptyResponse(204);
}

function jsonResponse(value: object, record: BucketRecord): S3Response {
  const body = `${JSON.stringify(value, null, 2)}\n`;
  return {
    status: 200,
    headers: { 'content-type': 'application/json', etag: `"${stateTagOf(record)}"` },
    body,
  };
}
