// A change of several settings of a bucket at once, for the JSON API. All is
// checked before anything is changed. Then come host names, which another bucket
// may have, then access, then all other settings: one commit each.
import type { BucketSettings } from '../../domain/bucket-settings.ts';
import type { HostingSettings } from '../../domain/hosting.ts';
import type { Core } from '../core.ts';
import { removeHosting, setHosting } from '../hosting/set-hosting.ts';
import { validateRules } from '../lifecycle/validate-rules.ts';
import { requireLogTarget } from '../logging/require-log-target.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../opened-bucket/set-bucket-settings.ts';
import { enqueueBucketTest } from '../outbox/deliveries.ts';
import { checkRules, endpointsOf, requireWebhooks } from '../outbox/notification-rules.ts';
import { type AccessChange, setBucketAccess } from './set-bucket-access.ts';
import { checkPolicy } from './set-policy.ts';

/** The settings to change. */
export type BucketChange = {
  /** Null removes the hosting settings; undefined keeps them. */
  readonly hosting?: HostingSettings | null;
  readonly access: Pick<AccessChange, 'policyJson' | 'ownership' | 'publicAccessBlock'>;
  readonly settings: Partial<
    Pick<
      BucketSettings,
      | 'versioning'
      | 'cors'
      | 'lifecycle'
      | 'tags'
      | 'encryption'
      | 'requestPayer'
      | 'receipts'
      | 'metadata'
      | 'logging'
      | 'website'
      | 'objectLock'
      | 'notifications'
      | 'deduplication'
      | 'compression'
      | 'quota'
    >
  >;
};

/**
 * Changes settings of a bucket. Errors: MalformedPolicy, AccessDenied (a public
 * policy that is blocked, host names that the account can't have), those of
 * validateRules, requireLogTarget, checkRules and requireWebhooks,
 * DomainAlreadyBound, DomainNotProven, InvalidBucketState. A failure in between
 * leaves the commits before it; `onChanged` is called after each.
 */
export async function changeBucket(
  core: Core,
  bucket: BucketHandle,
  change: BucketChange,
  { requestId, onChanged }: { readonly requestId: string; readonly onChanged: () => void },
): Promise<void> {
  const { name, access, ownerId } = bucket.record();
  const { hosting, settings } = change;
  const { policyJson } = change.access;
  if (policyJson !== undefined && policyJson !== null) {
    checkPolicy({ name, access: { ...access, ...change.access } }, policyJson);
  }
  if (settings.lifecycle) validateRules(settings.lifecycle.rules);
  if (settings.logging) await requireLogTarget(core, bucket.record(), settings.logging);
  const rules = settings.notifications ?? [];
  checkRules(rules);
  await requireWebhooks(core, rules, ownerId);

  if (hosting === null) await removeHosting(core, bucket);
  else if (hosting !== undefined) await setHosting(core, bucket, hosting);
  if (hosting !== undefined) onChanged();

  if (Object.keys(change.access).length > 0) {
    await setBucketAccess(bucket, change.access);
    onChanged();
  }

  if (Object.keys(settings).length === 0) return;
  const record = await setBucketSettings(core, bucket, settings);
  if (rules.length > 0) await enqueueBucketTest(core, record, endpointsOf(rules), requestId);
}
