// The bucket index over RPC: each call goes to the Durable Object of the bucket's
// name, or of one of its shards, if the directory knows the name (bucket-names.ts).
// Bucket records are kept in the isolate for seconds, because every request begins with
// one: a record that went stale elsewhere is refused by the index with BucketChanged,
// and then it is forgotten here, so that the handle's next `getBucket` asks anew. The
// seconds bound what is decided from the record alone (a refusal, HeadBucket).
import { LRUCache } from 'lru-cache';
import { hasCode } from '../../../domain/errors.ts';
import type { BucketLocation } from '../../../domain/locations/bucket-locations.ts';
import type { BucketId, BucketName, BucketRecord } from '../../../domain/nouns.ts';
import { bucketOfShard, indexFor } from '../../../index/router/shard-map.ts';
import { changedBy } from '../../../ports/index-calls/index-changes.ts';
import type { IndexApi, MetadataIndex, ResolvedVersion } from '../../../ports/metadata-index.ts';
import type { Clock } from '../../../ports/system.ts';
import type { BucketObject, BucketReply } from '../durable-objects/bucket-object.ts';
import type { BucketFeeds } from '../pointers/bucket-feeds.ts';
import { beginReaderCall } from '../pointers/reader-call.ts';
import type { BucketNames } from './bucket-names.ts';
import { connectBucket } from './bucket-stub.ts';
import { answerOfEmpty } from './empty-bucket.ts';
import { type CallableObject, callObject } from './object-call.ts';
import { createRecentUploads } from './recent-uploads.ts';
import { createRecentVersions } from './recent-versions.ts';

/** Seconds for which a record is believed without asking. */
const RECORD_FRESH_SECONDS = 5;
/**
 * Bucket records kept, in bytes together; most take a few hundred, one with a
 * policy up to 40 KB.
 */
const RECORDS_MAX_BYTES = 2 * 1024 * 1024;
const RECORD_OVERHEAD_BYTES = 512;

/**
 * Whether a call may happen twice: every query, and the commands that the port
 * calls idempotent.
 */
const IS_REPEATABLE = {
  getBucket: true,
  getVersion: true,
  getObjects: true,
  listAcls: true,
  listVersions: true,
  resolve: true,
  resolveAll: true,
  listObjects: true,
  getUpload: true,
  listParts: true,
  listUploads: true,
  findUnknownBlobs: true,
  findReferencedBlobs: true,
  listIncarnations: true,
  getLifecycleRun: true,
  getStorageTotals: true,
  getIndexRoom: true,
  scanLifecycle: true,
  getCompressionRun: true,
  scanForCompression: true,
  readPack: true,
  findSparsePacks: true,
  findPackedVersions: true,
  getKeyJob: true,
  listKeyJobs: true,
  listKeyJobItems: true,
  listKeyJobKeys: true,
  listKeyJobFailures: true,
  listHidden: true,
  measurePrefixes: true,
  searchKeys: true,
  listLevel: true,
  sortLevel: true,
  requireRoom: true,
  getSelection: true,
  getShareLink: true,
  findShareLink: true,
  getShareUsage: true,
  listShareLinks: true,
  listShareHistory: true,
  listShareDays: true,
  listShareSums: true,
  getDropLink: true,
  listDropLinks: true,
  getDropSender: true,
  listDropSenders: true,
  getDropFile: true,
  listDropFiles: true,
  createBucket: false,
  setBucketAccess: false,
  setBucketSettings: false,
  purgeBucket: false,
  deleteBucket: false,
  commitObject: false,
  deleteObjects: false,
  updateVersion: false,
  applyLifecycle: false,
  setCompressionRun: true,
  exchangeBody: true,
  claimPacks: false,
  adoptPack: true,
  repack: true,
  leavePack: true,
  countAllKeys: true,
  indexKeys: true,
  forgetKeyIndex: true,
  countLevel: true,
  forgetLevels: true,
  commitCopies: true,
  createKeyJob: false,
  stepKeyJob: false,
  endKeyJob: true,
  createUpload: false,
  commitPart: false,
  completeUpload: true,
  abortUpload: false,
  abortStaleUploads: true,
  addDropLink: true,
  changeDropLink: false,
  revokeDropLinks: true,
  removeDropLink: true,
  addDropSender: false,
  addDropFile: false,
  commitDropPiece: false,
  settleDropLength: true,
  finishDropFile: true,
  removeDropFile: false,
  forgetDropRows: true,
  takeUrlUse: false,
  releaseUrlUse: false,
  dropUploadsOfIncarnation: true,
  dropOrphanRows: true,
  addRemoteReferences: true,
  releaseRemoteReferences: true,
  condemnBlobs: false,
  forgetBlobs: true,
  closeStorageHours: true,
  forgetStorageHours: true,
  setStorageGrant: true,
  settleStorageGrant: true,
  addSelection: true,
  dropSelections: true,
  addShareLink: true,
  changeShareLink: false,
  revokeShareLinks: true,
  deleteShareLink: true,
  putShareLabel: false,
  beginShareDownload: true,
  renewShareDownloads: true,
  settleShareDownload: true,
  addShareCounts: false,
  setSweptUpTo: true,
  forgetIncarnation: true,
  getShard: true,
  countShards: true,
  locateBlobs: true,
  pickSlice: true,
  exportSlice: true,
  noteShards: false,
  makeShard: true,
  reportRecord: true,
  freezeSlice: false,
  thawSlice: true,
  importSlice: true,
  dropSlice: true,
  giveUpSlice: true,
  adoptSlice: true,
  listDeliveries: true,
  countDeliveries: true,
  nextDeliveryAt: true,
  enqueueDeliveries: false,
  claimDeliveries: false,
  settleDeliveries: true,
  replayDeliveries: true,
} as const satisfies Record<keyof IndexApi, boolean>;

/**
 * The index by calls of Durable Objects. `feeds` learns what the object says beside its
 * answers. Cost: one RPC to the bucket's object. None for a `getBucket` or an upload that the
 * isolate remembers, for a name that nobody has, and for the version behind a link that
 * was read less than `versionFreshSeconds` ago.
 */
export function createDoMetadataIndex(
  buckets: DurableObjectNamespace<BucketObject>,
  names: BucketNames,
  clock: Clock,
  feeds: Pick<BucketFeeds, 'readerOf' | 'note' | 'shares'>,
  versionFreshSeconds: number,
): MetadataIndex {
  const recent = createRecentVersions(clock, versionFreshSeconds);
  const uploads = createRecentUploads(clock);
  const records = new LRUCache<BucketName, { record: BucketRecord; untilMs: number }>({
    maxSize: RECORDS_MAX_BYTES,
    sizeCalculation: ({ record }) => RECORD_OVERHEAD_BYTES + 2 * JSON.stringify(record).length,
  });

  function remember(bucket: BucketName, record: BucketRecord | null): void {
    if (record === null) records.delete(bucket);
    else records.set(bucket, { record, untilMs: clock.nowMs() + RECORD_FRESH_SECONDS * 1000 });
  }

  /** Calls the object, where it lives. */
  function callBucket<Name extends keyof IndexApi>(
    bucket: BucketName,
    location: BucketLocation | null,
    name: Name,
    input: Parameters<IndexApi[Name]>[0],
  ): Promise<ReturnType<IndexApi[Name]>> {
    // The stub's own types would lose the generic call; the wire carries plain data
    // all the same.
    const object = indexFor(bucket, input);
    const connect = () => connectBucket(buckets, object, location) as unknown as CallableObject;
    const readerCall = beginReaderCall(feeds, clock, bucket, name, input);
    return callObject<ReturnType<IndexApi[Name]>>({
      connect,
      name,
      input,
      reader: readerCall?.reader,
      isRepeatable: IS_REPEATABLE[name],
      onReply: (reply: BucketReply) => reply.isOk && readerCall?.note(reply.news, reply.value),
    });
  }

  /** Calls the object, if the directory knows the name; else no object is made for it. */
  async function callNamed<Name extends keyof IndexApi>(
    bucket: BucketName,
    name: Name,
    input: Parameters<IndexApi[Name]>[0],
  ): Promise<ReturnType<IndexApi[Name]>> {
    const known = bucketOfShard(bucket);
    const ofNobody = answerOfEmpty(name, input)?.value as ReturnType<IndexApi[Name]> | undefined;
    const mayBeStale = isForStrangers(name, input);
    // Only a name that was noted for it gets a bucket.
    const noted =
      name === 'createBucket' ? await names.read(known) : await names.find(known, mayBeStale);
    if (noted === null && ofNobody !== undefined) return ofNobody;

    const value = await callBucket(bucket, noted?.location ?? null, name, input);
    if (!isOfNoBucket(name, value)) return value;
    // The name may have been forgotten since, or be somewhere else now.
    const renewed = await names.renew(known, mayBeStale);
    const hasMoved = renewed != null && renewed.location !== noted?.location;
    return hasMoved ? callBucket(bucket, renewed.location, name, input) : value;
  }

  return {
    async call(bucket, name, input) {
      if (name === 'getBucket') {
        const known = records.get(bucket);
        if (known !== undefined && known.untilMs > clock.nowMs())
          return known.record as ReturnType<IndexApi[typeof name]>;
      }
      const version = name === 'getVersion' ? recent.find(input as GetVersionInput) : null;
      const remembered = version ?? uploads.find(name, input);
      if (remembered !== null) return remembered as ReturnType<IndexApi[typeof name]>;
      const keep = recent.expect(input as GetVersionInput);
      const upload = uploads.begin(name, input);
      try {
        const value = await callNamed(bucket, name, input);
        upload.done(value);
        if (name === 'getBucket') remember(bucket, value as BucketRecord | null);
        if (name === 'getVersion') keep(value as ResolvedVersion | null);
        return value;
      } catch (error) {
        upload.failed(error);
        if (hasCode(error, 'BucketChanged')) records.delete(bucket);
        throw error;
      } finally {
        if (changedBy(name, input) === 'readPolicy') records.delete(bucket);
        else recent.forget(bucketIdIn(input), name, input);
      }
    },
  };
}

/** Look-ups of public reads are for whoever asks; of others their callers say it. */
function isForStrangers(name: keyof IndexApi, input: unknown): boolean {
  if (name === 'resolve' || name === 'resolveAll') return true;
  return (input as { readonly mayBeStale?: boolean }).mayBeStale === true;
}

/** Says whether a value means that the Durable Object has no bucket. */
function isOfNoBucket(name: keyof IndexApi, value: unknown): boolean {
  if (name === 'getBucket') return value === null;
  if (name !== 'resolve' && name !== 'resolveAll') return false;
  return (value as { readonly bucket: BucketRecord | null }).bucket === null;
}

type GetVersionInput = Parameters<IndexApi['getVersion']>[0];

/** The bucket that a call names, where it names one by its id. */
function bucketIdIn(input: unknown): BucketId | null {
  const { bucket } = input as { readonly bucket?: { readonly id?: BucketId } };
  return bucket?.id ?? null;
}
