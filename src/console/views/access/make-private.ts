// Takes back what strangers may read: at once, with Undo, since nothing is opened or
// lost by it.
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate } from '../../api/query.ts';
import { t } from '../../i18n/i18n.ts';
import { showToast } from '../../ui/toast.tsx';
import { openedPrefixes } from './public-prefixes.ts';

/** Reads again what shows who may read. */
export function refreshAccess(bucket: string): void {
  for (const key of ['buckets', `bucket ${bucket}`, `folder ${bucket}`, `readers ${bucket}`])
    invalidate(key);
}

/** Closes a prefix of a bucket to strangers; '' is the whole bucket. */
export async function makePrivate(bucket: string, prefix: string): Promise<void> {
  const texts = t().access;
  const place = `${bucket}/${prefix}`;
  try {
    const before = await client.buckets.get(bucket);
    const opened = openedPrefixes(before).find((one) => one.prefix === prefix);
    if (opened !== undefined) {
      await client.request('DELETE /buckets/{bucket}/public-access', {
        path: { bucket: bucket },
        query: { prefix },
      });
    } else {
      await client.buckets.update(bucket, { body: { publicAccess: 'none' }, ifMatch: before });
    }
    const after = await client.buckets.get(bucket);
    const isStillOpen =
      prefix === '' ? after.publicAccess !== 'none' : after.publicAccess === 'read';
    const reopen = async () => {
      if (opened !== undefined) {
        await client.request('PUT /buckets/{bucket}/public-access', {
          path: { bucket: bucket },
          body: opened,
          ifMatch: after,
        });
      } else {
        await client.buckets.update(bucket, { body: { publicAccess: 'read' }, ifMatch: after });
      }
    };
    showToast({
      text: isStillOpen ? texts.stillOpen(place) : texts.nowPrivate(place),
      undo: () => void orSay(bucket, reopen),
    });
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
  refreshAccess(bucket);
}

/** Runs the way back of a toast, and says why where it fails. */
export async function orSay(bucket: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    showToast({ text: t().access.undone });
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
  refreshAccess(bucket);
}
