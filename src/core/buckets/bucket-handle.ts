// An opened bucket: the record that the caller was authorised on, and the calls that go to its
// index. Every call names the revision of that record; when the bucket changed in between the index
// refuses, and the handle opens the bucket again, authorises again and repeats the call. So one
// index call per request stays exact. Every change of a bucket goes through here, so this is also
// where hot metadata forgets, before the client hears of the change.

import { hasCode, StorageError } from '../../domain/errors.ts';
import type { EventOrigin } from '../../domain/notifications.ts';
import type { BucketName, BucketRecord, BucketRef } from '../../domain/nouns.ts';
import type { ReaderChange } from '../../ports/hot-metadata.ts';
import { changedBy, changesReadPolicy } from '../../ports/index-calls/index-changes.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import { mayReport } from '../../ports/outbox.ts';
import type { Core } from '../core.ts';
import { neededBy, raiseStorageGrant } from '../quotas/storage-grants.ts';

type TakesBucket = {
  [Name in keyof IndexApi]: Parameters<IndexApi[Name]>[0] extends { bucket: BucketRef }
    ? Name
    : never;
}[keyof IndexApi];

export type BucketHandle = {
  /** The record as last authorised. */
  record(): BucketRecord;
  /**
   * Input that depends on the record is given as a function of it, and made anew when the bucket
   * changed.
   */
  call<Name extends TakesBucket>(
    name: Name,
    input: InputOf<Name> | ((record: BucketRecord) => InputOf<Name>),
  ): Promise<ReturnType<IndexApi[Name]>>;
};

type InputOf<Name extends TakesBucket> = Omit<Parameters<IndexApi[Name]>[0], 'bucket'>;

/** Who changes a bucket through its handle. */
export type Changer = {
  /** For the bucket's events. Asked only where one may be written. */
  readonly originOf: () => EventOrigin;
  /**
   * Told of each change that readers can see, once hot metadata has forgotten it; of a failed one
   * too: it may have landed.
   */
  readonly note: (bucket: BucketName, change: ReaderChange) => void;
};

/** What a call of the index needs of the record that its caller decided on. */
function toBucketRef({ id, name, revision, settings }: BucketRecord): BucketRef {
  const { versioning, objectLock, quota, hasAccountQuota } = settings;
  const ref: BucketRef = {
    id,
    name,
    revision,
    versioning: versioning ?? 'off',
    defaultRetention: objectLock?.defaultRetention ?? null,
  };
  const hasQuotas = quota !== null || hasAccountQuota === true;
  return hasQuotas ? { ...ref, quotas: { own: quota, isShared: hasAccountQuota === true } } : ref;
}

/**
 * The same for a call that may write events: with the bucket's rules, if it has any, and who makes
 * the change.
 */
function toTellingRef(record: BucketRecord, changer: Changer | null): BucketRef {
  const { ownerId, settings } = record;
  const ref = toBucketRef(record);
  if (settings.notifications === null) return ref;
  return {
    ...ref,
    notify: { ownerId, rules: settings.notifications, origin: changer?.originOf() ?? null },
  };
}

/** How often a call is repeated on a bucket that keeps changing before the client is asked to. */
const MAX_REOPENS = 3;
/** How often it is repeated on one whose quota others use up as soon as more is granted. */
const RAISES_MAX = 64;
/**
 * The same of a change of the bucket itself: of many at once each must wait for the others, one
 * round for each.
 */
const MAX_REOPENS_OF_CHANGE = 64;

/**
 * Opens a bucket for one request. `authorize` throws AccessDenied; it runs again when the bucket
 * changed. Without a `changer` it is this service by itself. NoSuchBucket.
 */
export async function openBucket(
  core: Core,
  name: BucketName,
  authorize: (record: BucketRecord) => void,
  changer: Changer | null = null,
): Promise<BucketHandle> {
  const index = core.ports.metadataIndex;

  async function authorized(): Promise<BucketRecord> {
    const found = await index.call(name, 'getBucket', { name });
    if (found === null) throw new StorageError('NoSuchBucket', { fields: { BucketName: name } });
    authorize(found);
    return found;
  }

  let record = await authorized();
  return {
    record: () => record,
    async call(method, given) {
      for (let reopens = 0, raises = 0; ; ) {
        const bucket = mayReport(method) ? toTellingRef(record, changer) : toBucketRef(record);
        const input = typeof given === 'function' ? given(record) : given;
        const changed = changedBy(method, input);
        try {
          return await index.call(name, method, { ...input, bucket } as Parameters<
            IndexApi[typeof method]
          >[0]);
        } catch (error) {
          if (hasCode(error, 'StorageGrantNeeded') && raises < RAISES_MAX) {
            raises += 1;
            await raiseStorageGrant(core, record, neededBy(error));
            continue;
          }
          if (!hasCode(error, 'BucketChanged')) throw error;
          reopens += 1;
          const reopensMax = changed === 'readPolicy' ? MAX_REOPENS_OF_CHANGE : MAX_REOPENS;
          if (reopens > reopensMax)
            throw new StorageError('ConditionalRequestConflict', { cause: error });
          record = await authorized();
        } finally {
          // Whatever the outcome: a failed call may have landed.
          if (changed !== 'nothing' && changed !== 'readPolicy')
            core.ports.hotMetadata.evict(name, changed);
          if (changesReadPolicy(changed)) core.ports.hotMetadata.evict(name, null);
          if (changed !== 'nothing') changer?.note(name, changed);
        }
      }
    },
  };
}
