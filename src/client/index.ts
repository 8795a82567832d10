// What users import as `quayside/client`: names only, no code.
export type * from './api-types.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export type { AccessKeyPair, Fetch } from './credential.ts';
export type { VerifiedBy } from './download/checked.ts';
export type { Download, DownloadOptions, FileTarget } from './download/download.ts';
export { QuaysideError } from './errors.ts';
export type { Attributes, UploadRef } from './objects/door.ts';
export type { Progress } from './progress.ts';
export type { RetryPolicy } from './retry.ts';
export type { Answer, CommonOptions, Item, ListRoute, RequestOptions, Route } from './routes.ts';
export type { ChecksumChoice } from './upload/digest.ts';
export type { UploadSource } from './upload/piece.ts';
export type { UploadOptions, UploadResult, UploadTask } from './upload/upload.ts';
