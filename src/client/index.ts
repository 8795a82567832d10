// What users import as `quayside/client`: names only, no code.

export { type ApiClient, type ClientOptions, createApiClient } from './api-client.ts';
export type * from './api-types.ts';
export { type Client, createClient } from './client.ts';
export type { AccessKeyPair, Fetch } from './credential.ts';
export type { VerifiedBy } from './download/checked.ts';
export type { Download, DownloadOptions, FileTarget } from './download/download.ts';
export { createDownloadClient, type Downloads } from './download-client.ts';
export { QuaysideError } from './errors.ts';
export type { Attributes, UploadRef } from './objects/backend.ts';
export type { Piece, UploadSource } from './objects/piece.ts';
export type { Progress } from './progress.ts';
export { type Dropped, droppedFiles } from './queue/dropped-files.ts';
export type { ItemState, QueueFile, QueueItem } from './queue/queue-item.ts';
export type { QueueSnapshot } from './queue/queue-list.ts';
export type { QueueStorage } from './queue/queue-storage.ts';
export { type QueueFolder, type QueueTotals, totalsOf, treeOf } from './queue/queue-totals.ts';
export { createUploadQueue, type QueueOptions, type UploadQueue } from './queue/upload-queue.ts';
export type { RetryPolicy } from './retry.ts';
export type { Answer, CommonOptions, Item, ListRoute, RequestOptions, Route } from './routes.ts';
export { type ChecksumChoice, type CustomDigest, digestOf } from './upload/digest.ts';
export type { UploadOptions, UploadResult, UploadTask } from './upload/upload.ts';
export { createUploadClient, type Uploads } from './upload-client.ts';
