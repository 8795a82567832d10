// Changes of headers, metadata, tags, storage class and lock of many objects: what each
// of them shall have is decided here, from what it has now; the commit refuses where that
// has changed, or where a lock may not be changed so. Called by plan-step.ts and start-key-job.ts.

import { StorageError } from '../../domain/errors.ts';
import type {
  EditedAttributes,
  KeyAction,
  KeyJobFailure,
  ObjectEdit,
} from '../../domain/keys/key-jobs.ts';
import type { ObjectKey, ObjectVersion } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { OBJECT_MAX_TAGS, USER_METADATA_MAX_BYTES } from '../limits.ts';
import { toTags } from '../objects/tags.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';

/** Objects of one step: as many as the index returns whole at once. */
export const EDIT_STEP = 100;
/** Headers of an object together, bytes. Source: as for a PUT (object-headers.ts). */
const HEADERS_MAX_BYTES = 8 * 1024;

/** Refuses an edit that changes nothing. InvalidRequest. */
export function checkEdit({ headers, metadata, tags, storageClass, lock }: ObjectEdit): void {
  const isEmpty = Object.keys(headers).length === 0 && metadata === undefined;
  if (isEmpty && tags === undefined && storageClass === undefined && lock === undefined)
    throw new StorageError('InvalidRequest', { detail: 'Say what shall change.' });
}

/** The actions of an edit. Cost: an index read of up to 100 whole objects. */
export async function planEdits(
  core: Core,
  bucket: BucketHandle,
  keys: readonly ObjectKey[],
  change: ObjectEdit,
): Promise<{
  readonly actions: readonly KeyAction[];
  readonly refused: readonly KeyJobFailure[];
}> {
  const actions: KeyAction[] = [];
  const refused: KeyJobFailure[] = [];
  const objects = keys.length === 0 ? [] : await bucket.call('getObjects', { keys });
  for (const [i, key] of keys.entries()) {
    const object = objects[i] ?? null;
    const attributes = object === null ? null : editAttributes(object, change);
    if (object === null) refused.push({ key, reason: 'missing' });
    else if (attributes === null) refused.push({ key, reason: 'invalid' });
    else {
      actions.push({
        kind: 'edit',
        key,
        onlyVersionId: object.versionId,
        onlyTags: object.tags,
        versionId: core.ports.ids.versionId(),
        attributes,
        ...(change.lock === undefined ? {} : { lock: change.lock }),
      });
    }
  }
  return { actions, refused };
}

/** What an object shall have after an edit; null: more than an object can have. */
function editAttributes(object: ObjectVersion, change: ObjectEdit): EditedAttributes | null {
  const headers = merge({ ...object.headers }, change.headers);
  const userMetadata = merge(object.userMetadata, change.metadata);
  if (sizeOf(userMetadata, true) > USER_METADATA_MAX_BYTES) return null;
  if (sizeOf(headers, false) > HEADERS_MAX_BYTES) return null;

  const tags = tagsOf(merge(object.tags, change.tags));
  const storageClass = change.storageClass ?? object.storageClass;
  return tags === null ? null : { headers, userMetadata, storageClass, tags };
}

type Texts = Readonly<Record<string, string>>;

/** Lays a change over texts, name by name. */
function merge(
  current: Texts,
  change: Readonly<Record<string, string | null>> | null | undefined,
): Texts {
  const merged = new Map(change === null ? [] : Object.entries(current));
  for (const [name, value] of Object.entries(change ?? {})) {
    if (value === null) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

/** Bytes of stored headers, which have one byte a character. */
function sizeOf(texts: Texts, isWithNames: boolean): number {
  return Object.entries(texts).reduce(
    (sum, [name, value]) => sum + value.length + (isWithNames ? name.length : 0),
    0,
  );
}

function tagsOf(texts: Texts): Texts | null {
  try {
    return toTags(Object.entries(texts), OBJECT_MAX_TAGS);
  } catch (error) {
    if (error instanceof StorageError) return null;
    throw error;
  }
}
