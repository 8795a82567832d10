// How each call of the index finds its shards in a bucket that is split (ADR 53). A call
// that a port gains and this list lacks does not compile. Read by shard-router.ts.
import type { BucketRef } from '../../domain/nouns.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import { ROUTED_ALWAYS } from './routed-always.ts';

/**
 * `key`: the owner of its key or keys. `list`: owners in the order of keys. `sum`: all of
 * them. `root`: what stands at the root alone. `record`: changes of the bucket's record.
 * `together`: all keys in one index, which the bucket is brought into first. `readers`:
 * look-ups by name. `sweep`: work on every shard by itself. `gather`: it names no revision,
 * and its bucket is brought together first. `plain`: it names no revision, or says itself
 * whose database it means.
 */
export type Route =
  | 'key'
  | 'list'
  | 'sum'
  | 'root'
  | 'record'
  | 'together'
  | 'readers'
  | 'sweep'
  | 'gather'
  | 'plain';

/** Calls of one key, or of several. */
const KEYED = {
  getVersion: 'key',
  getObjects: 'key',
  listAcls: 'key',
  getUpload: 'key',
  listParts: 'key',
  commitObject: 'key',
  deleteObjects: 'key',
  updateVersion: 'key',
  createUpload: 'key',
  commitPart: 'key',
  completeUpload: 'key',
  abortUpload: 'key',
  exchangeBody: 'key',
} as const;

/** What the root has for the whole bucket. */
const AT_ROOT = {
  getIndexRoom: 'root',
  getLifecycleRun: 'root',
  getCompressionRun: 'root',
  setCompressionRun: 'root',
  getKeyJob: 'root',
  listKeyJobs: 'root',
  listKeyJobItems: 'root',
  listKeyJobKeys: 'root',
  listKeyJobFailures: 'root',
  endKeyJob: 'root',
  findSparsePacks: 'root',
  leavePack: 'root',
  getSelection: 'root',
  addSelection: 'root',
  takeUrlUse: 'root',
  releaseUrlUse: 'root',
  getShareUsage: 'root',
  listShareLinks: 'root',
  listShareHistory: 'root',
  listShareDays: 'root',
  listShareSums: 'root',
  addShareLink: 'root',
  changeShareLink: 'root',
  revokeShareLinks: 'root',
  deleteShareLink: 'root',
  putShareLabel: 'root',
  beginShareDownload: 'root',
  renewShareDownloads: 'root',
  settleShareDownload: 'root',
  addShareCounts: 'root',
  setBucketAccess: 'record',
  setBucketSettings: 'record',
  purgeBucket: 'record',
} as const;

/** Calls that so far need all keys of a bucket in one index. */
const TOGETHER = {
  scanLifecycle: 'together',
  applyLifecycle: 'together',
  scanForCompression: 'together',
  findPackedVersions: 'together',
  repack: 'together',
  commitCopies: 'together',
  createKeyJob: 'together',
  stepKeyJob: 'together',
  listHidden: 'together',
  measurePrefixes: 'together',
  searchKeys: 'together',
  countAllKeys: 'together',
  indexKeys: 'together',
  listLevel: 'together',
  sortLevel: 'together',
  countLevel: 'together',
  forgetLevels: 'together',
  requireRoom: 'together',
  abortStaleUploads: 'together',
  getDropLink: 'together',
  listDropLinks: 'together',
  getDropSender: 'together',
  listDropSenders: 'together',
  getDropFile: 'together',
  listDropFiles: 'together',
  addDropLink: 'together',
  changeDropLink: 'together',
  revokeDropLinks: 'together',
  removeDropLink: 'together',
  addDropSender: 'together',
  addDropFile: 'together',
  commitDropPiece: 'together',
  settleDropLength: 'together',
  finishDropFile: 'together',
  removeDropFile: 'together',
  deleteBucket: 'together',
} as const;

/** What is not about the keys of a bucket by its revision. */
const PLAIN = {
  getBucket: 'plain',
  createBucket: 'plain',
  findReferencedBlobs: 'plain',
  readPack: 'plain',
  claimPacks: 'plain',
  adoptPack: 'plain',
  setStorageGrant: 'plain',
  getShareLink: 'plain',
  findShareLink: 'plain',
  forgetKeyIndex: 'plain',
  forgetDropRows: 'plain',
  dropUploadsOfIncarnation: 'plain',
  dropOrphanRows: 'plain',
  dropSelections: 'plain',
  condemnBlobs: 'plain',
  forgetBlobs: 'plain',
  setSweptUpTo: 'plain',
  listDeliveries: 'plain',
  countDeliveries: 'plain',
  nextDeliveryAt: 'plain',
  enqueueDeliveries: 'plain',
  claimDeliveries: 'plain',
  settleDeliveries: 'plain',
  replayDeliveries: 'plain',
  getShard: 'plain',
  countShards: 'plain',
  locateBlobs: 'plain',
  pickSlice: 'plain',
  exportSlice: 'plain',
  noteShards: 'plain',
  makeShard: 'plain',
  reportRecord: 'plain',
  freezeSlice: 'plain',
  thawSlice: 'plain',
  importSlice: 'plain',
  dropSlice: 'plain',
  giveUpSlice: 'plain',
  adoptSlice: 'plain',
} as const;

export const CALL_ROUTES = {
  ...KEYED,
  ...AT_ROOT,
  ...TOGETHER,
  ...PLAIN,
  ...ROUTED_ALWAYS,
  listObjects: 'list',
  listVersions: 'list',
  listUploads: 'list',
  getStorageTotals: 'sum',
} as const satisfies Record<keyof IndexApi, Route>;

/** Quotas count all keys in one commit, and one queue has all messages of a bucket. */
export function needsAll({ quotas, notify }: BucketRef): boolean {
  return quotas !== undefined || notify !== undefined;
}
