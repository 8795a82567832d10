// An opened bucket: the record that the caller was authorised on, and the calls to
// its index. A caller authorises on a record; the owner changes the bucket; the
// call would act on old rights. Guard: each call names the record's revision, the
// index refuses another one, and the handle opens and authorises again. Every
// change of a bucket goes through here, so hot metadata is invalidated here too,
// before the client gets its response.

import { hasCode, StorageError } from '../../domain/errors.ts';
import type { EventOrigin } from '../../domain/notifications.ts';
import type { BucketName, BucketRecord, BucketRef } from '../../domain/nouns.ts';
import {
  changedBy,
  changesReadPolicy,
  type ReaderChange,
} from '../../ports/index-calls/index-changes.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import { mayReport } from '../../ports/outbox.ts';
import type { Core } from '../core.ts';
import { neededBy, raiseStorageGrant } from './storage-grants.ts';

type TakesBucket = {
  [Name in keyof IndexApi]: Parameters<IndexApi[Name]>[0] extends { bucket: BucketRef }
    ? Name
    : never;
}[keyof IndexApi];

/** A bucket that a caller is authorised for. */
export type BucketHandle = {
  /** The record as last authorised. */
  record(): BucketRecord;
  /**
   * Calls the index. An input that depends on the record is passed as a function of
   * it, which is called again when the bucket changed.
   */
  call<Name extends TakesBucket>(
    name: Name,
    input: InputOf<Name> | ((record: BucketRecord) => InputOf<Name>),
  ): Promise<ReturnType<IndexApi[Name]>>;
};

type InputOf<Name extends TakesBucket> = Omit<Parameters<IndexApi[Name]>[0], 'bucket'>;

/** Who changes a bucket through its handle. */
export type Changer = {
  /** The origin of the bucket's events. Called only where one may be written. */
  readonly originOf: () => EventOrigin;
  /**
   * Called for each change that readers can see, once hot metadata is invalidated.
   * Also for a failed one, which may have landed. `bucket`: as it was before.
   */
  readonly note: (bucket: BucketRecord, change: ReaderChange) => void;
};

/** Picks what the index needs of the record that the caller was authorised on. */
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
 * Adds what a call that may write events needs: the bucket's notification rules, if
 * it has any, and who makes the change.
 */
function toNotifyingRef(record: BucketRecord, changer: Changer | null): BucketRef {
  const { ownerId, settings } = record;
  const ref = toBucketRef(record);
  if (settings.notifications === null) return ref;
  return {
    ...ref,
    notify: { ownerId, rules: settings.notifications, origin: changer?.originOf() ?? null },
  };
}

/**
 * Repetitions of a call on a bucket that keeps changing, before the client has to
 * retry.
 */
const MAX_REOPENS = 3;
/** Repetitions of a call whose quota others use up as soon as more is granted. */
const RAISES_MAX = 64;
/**
 * Repetitions of a change of the bucket itself: each of many at once waits for the
 * others.
 */
const MAX_REOPENS_OF_CHANGE = 64;

/**
 * Opens a bucket for one request. `authorize` throws AccessDenied; it runs again
 * when the bucket changed. Without a `changer` the service itself makes the
 * changes. `isStranger`: nobody has signed the request. NoSuchBucket.
 */
export async function openBucket(
  core: Core,
  name: BucketName,
  authorize: (record: BucketRecord) => void,
  changer: Changer | null = null,
  isStranger = false,
): Promise<BucketHandle> {
  const index = core.ports.metadataIndex;

  async function authorized(): Promise<BucketRecord> {
    const current = await index.call(name, 'getBucket', { name, mayBeStale: isStranger });
    if (current === null) throw new StorageError('NoSuchBucket', { fields: { BucketName: name } });
    authorize(current);
    return current;
  }

  let record = await authorized();
  return {
    record: () => record,
    async call(method, inputOrFunction) {
      for (let reopens = 0, raises = 0; ; ) {
        const bucket = mayReport(method) ? toNotifyingRef(record, changer) : toBucketRef(record);
        const input =
          typeof inputOrFunction === 'function' ? inputOrFunction(record) : inputOrFunction;
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
          // After a failure too: the call may have landed.
          if (changed !== 'nothing' && changed !== 'readPolicy')
            core.ports.hotMetadata.evict(name, changed);
          if (changesReadPolicy(changed)) core.ports.hotMetadata.evict(name, null);
          if (changed !== 'nothing') changer?.note(record, changed);
        }
      }
    },
  };
}
