// Selections of objects for one ZIP, between the request that makes one and the URL
// that downloads it. A URL can't hold ten thousand keys, so it holds the id of a row
// in the bucket's index, which lives as long as the URL. The id grants nothing:
// whoever follows the URL is authorised anew for every object. Called by the JSON
// API and by the ZIP of a folder.
import { randomText } from '../../crypto/random-text.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ObjectSelection } from '../../domain/keys/object-selection.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';

/** Characters of an id, 5 bits each: nobody guesses one. */
const ID_LENGTH = 32;
const ID = /^[\w-]{1,64}$/;

/** Stores a selection for so many seconds and gives its id. SlowDown. */
export async function storeSelection(
  core: Core,
  bucket: BucketHandle,
  selection: ObjectSelection,
  ttlSeconds: number,
): Promise<string> {
  const id = randomText(ID_LENGTH);
  const nowMs = core.ports.clock.nowMs();
  const expiresAtMs = nowMs + ttlSeconds * 1000;
  await bucket.call('addSelection', { id, selection, nowMs, expiresAtMs });
  return id;
}

/** The selection of an id that a client names. NoSuchKey once it has expired. */
export async function readSelection(
  core: Core,
  bucket: BucketHandle,
  id: string,
): Promise<ObjectSelection> {
  const nowMs = core.ports.clock.nowMs();
  const selection = ID.test(id) ? await bucket.call('getSelection', { id, nowMs }) : null;
  if (selection !== null) return selection;
  throw new StorageError('NoSuchKey', {
    detail: 'This selection of objects has expired. Select them again.',
  });
}
