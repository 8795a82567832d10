// The events that jobs over many keys record for each key (object-events.ts). S3
// has no renames, so the events are those of what a client of S3 would have done.
// Called by key-jobs.ts with the result of an action.

import type { KeyAction } from '../../domain/keys/key-jobs.ts';
import type { Versioning } from '../../domain/nouns.ts';
import type { ObjectChange } from '../objects/object-events.ts';
import type { ActionResult } from './action-results.ts';
import { isSame } from './edit-actions.ts';

/**
 * The events of an action: a move is a copy and a deletion; what comes back is a
 * copy of itself. An action that failed has none.
 */
export function eventsOfAction(
  versioning: Versioning,
  action: KeyAction,
  { outcome, toKey, sizeBytes, versionId, markerId }: ActionResult,
  nowMs: number,
): readonly ObjectChange[] {
  if (outcome !== 'done') return [];
  const isNull = versioning !== 'enabled';
  const removal = (key: KeyAction['key'], leftMarkerId: string | null): ObjectChange =>
    leftMarkerId === null
      ? { name: 'ObjectRemoved:Delete', key, nowMs, version: null }
      : {
          name: 'ObjectRemoved:DeleteMarkerCreated',
          key,
          nowMs,
          version: { versionId: leftMarkerId, isNull },
        };
  const creation = (key: KeyAction['key'], id: string | null): ObjectChange => ({
    name: 'ObjectCreated:Copy',
    key,
    nowMs,
    sizeBytes,
    version: id === null ? null : { versionId: id, isNull },
  });
  switch (action.kind) {
    case 'move':
      return toKey === null ? [] : [creation(toKey, versionId), removal(action.key, markerId)];
    case 'unmove':
      return [creation(action.key, versionId), removal(action.toKey, markerId)];
    case 'hide':
      return [removal(action.key, markerId)];
    case 'unhide':
      return [creation(action.key, null)];
    case 'copy':
      return toKey === null ? [] : [creation(toKey, versionId)];
    case 'edit':
      if (versionId === null) return [];
      if (versionId !== action.onlyVersionId) return [creation(action.key, versionId)];
      // S3 has no event for a lock: what changed no tags tells nobody.
      if (isSame(action.onlyTags, action.attributes.tags)) return [];
      return [{ ...creation(action.key, versionId), name: 'ObjectTagging:Put' }];
    case 'purge':
    case 'erase':
    case 'uncopy':
      return [removal(action.key, null)];
    case 'record':
      // The other bucket has recorded it.
      return [];
  }
}
