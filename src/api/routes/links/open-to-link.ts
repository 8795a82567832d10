// Opens a bucket for a caller who makes or opens a link there: whoever lets others read
// or write must be able to do so. Called by the routes of both kinds of links.
import { mayDo, type Scope } from '../../../core/auth/permissions.ts';
import type { BucketHandle } from '../../../core/opened-bucket/bucket-handle.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { SignedInCall } from '../../routing/api-call.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';

/** The bucket; AccessDenied without `links:write` and all of `needs`. */
export function openToLink(
  call: SignedInCall,
  name: string,
  needs: readonly Scope[],
): Promise<BucketHandle> {
  return openBucketOf(call, name, 'links:write', ({ ownerId }) => {
    const missing = needs.find((scope) => !mayDo(call.caller, scope, ownerId));
    if (missing !== undefined)
      throw new StorageError('AccessDenied', { detail: `This needs the scope ${missing}.` });
  });
}

/** For a share link, which lets others read. */
export const openToShare = (call: SignedInCall, name: string): Promise<BucketHandle> =>
  openToLink(call, name, ['objects:read']);

/** For a drop link, which lets others write. */
export const openToDrop = (call: SignedInCall, name: string): Promise<BucketHandle> =>
  openToLink(call, name, ['objects:write']);
