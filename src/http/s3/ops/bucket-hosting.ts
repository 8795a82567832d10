// The hosting settings of a bucket: put, get, delete, as JSON. No operation of S3; it stands here because owners sign it as
// they sign all others. What the settings do is delivery/site's; docs/hosting.md tells owners.
import type { Core } from '../../../core/core.ts';
import { checkRuleFiles } from '../../../core/hosting/check-rule-files.ts';
import { hostNameOf } from '../../../core/hosting/host-names.ts';
import { HOSTING_MAX_BYTES, readHosting } from '../../../core/hosting/read-hosting.ts';
import { getHosting, removeHosting, setHosting } from '../../../core/hosting/set-hosting.ts';
import { type BucketCall, emptyAnswer, type S3Answer } from '../call.ts';
import { readDocument } from '../read-document.ts';

/**
 * Replaces the settings; answers with all of them. Errors: InvalidRequest, DomainAlreadyBound,
 * DomainNotProven, MaxMessageLengthExceeded. Cost: that of setHosting.
 */
export async function answerPutBucketHosting(call: BucketCall, core: Core): Promise<S3Answer> {
  // The host of this request serves the API; bound to a bucket it would serve that alone.
  const apiHosts = call.hasOwnOrigin ? [] : [hostNameOf(call.request.host)];
  const ownHosts = [...core.settings.ownHosts, ...apiHosts];
  const hosting = readHosting(await readDocument(call, HOSTING_MAX_BYTES), ownHosts);
  await setHosting(core, call.bucket, hosting);
  return jsonAnswer(hosting);
}

/** With `check` in the query: what the files of rules say instead. Errors: NoSuchHostingConfiguration. */
export async function answerGetBucketHosting(call: BucketCall, core: Core): Promise<S3Answer> {
  const hosting = getHosting(call.bucket);
  if (!call.query.has('check')) return jsonAnswer(hosting);
  return jsonAnswer({ files: await checkRuleFiles(core, call.bucket.record().name, hosting) });
}

/** Deleting what is not there is no error. Cost: two commits. */
export async function answerDeleteBucketHosting(call: BucketCall, core: Core): Promise<S3Answer> {
  await removeHosting(core, call.bucket);
  return emptyAnswer(204);
}

function jsonAnswer(value: object): S3Answer {
  const body = `${JSON.stringify(value, null, 2)}\n`;
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}
