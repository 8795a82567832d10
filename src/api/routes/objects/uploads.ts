// Multipart uploads by JSON: begun, listed, completed, aborted. Parts go to URLs
// that presign.ts makes (`put-part`), so that a browser sends them past this API,
// several at once, and goes on after a reload.
import { z } from '@hono/zod-openapi';
import { PART_NUMBER_MAX } from '../../../core/limits.ts';
import { abortUpload } from '../../../core/multipart/abort-upload.ts';
import { completeUpload } from '../../../core/multipart/complete-upload.ts';
import { createUpload } from '../../../core/multipart/create-upload.ts';
import type { ObjectKey, UploadId } from '../../../domain/nouns.ts';
import { NO_FACTS } from '../../../domain/object-facts.ts';
import { defaultEncryptionOf } from '../../../http/s3/headers/encryption-headers.ts';
import type { Upload } from '../../../ports/index-calls/upload-calls.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, deleteRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import {
  cursorAt,
  joinPosition,
  pageOf,
  pageQuery,
  readCursor,
  splitPosition,
} from '../../routing/paging.ts';
import { bucketParams, keySchema, prefixQuery } from '../../schemas/object.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';
import { attributesSchema, toAttributes, toObjectTags } from './object-attributes.ts';

const TAGS = ['Uploads'];
const uploadIdSchema = z.string().regex(/^[\w-]{1,256}$/);
const uploadParams = z.strictObject({
  bucket: z.string().min(1).max(255),
  uploadId: uploadIdSchema,
});
const keyQuery = z.strictObject({ key: keySchema });

const uploadSchema = z
  .object({ id: z.string(), key: z.string(), startedAt: timeSchema, storageClass: z.string() })
  .openapi('Upload');
const partSchema = z
  .object({
    partNumber: z.number().int(),
    size: z.string(),
    etag: z.string(),
    lastModified: timeSchema,
    checksum: z.object({ algorithm: z.string(), value: z.string() }).nullable(),
  })
  .openapi('UploadPart');
/**
 * What S3 calls x-amz-checksum-algorithm: every part is stored with a checksum of
 * that kind.
 */
const checksumSchema = z
  .enum(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'])
  .optional()
  .openapi({
    description: 'Each part then has a checksum: the one that came with it, or one made here.',
  });
/** With quotes or without. */
const ETAG = /^"?[\w-]{1,64}"?$/;
const completionSchema = z.strictObject({
  key: keySchema,
  parts: z
    .array(
      z.strictObject({
        partNumber: z.number().int().min(1).max(PART_NUMBER_MAX),
        etag: z
          .string()
          .regex(ETAG)
          .openapi({ description: 'ETag that the part was answered with, in quotes or without.' }),
      }),
    )
    .min(1)
    .max(PART_NUMBER_MAX),
  onlyIfNew: z.boolean().default(false).openapi({ description: '412 where the key is taken.' }),
  onlyIfEtag: z
    .string()
    .regex(ETAG)
    .optional()
    .openapi({ description: '412 where the key has another object; 404 where it has none.' }),
});
const completedSchema = z
  .object({ key: z.string(), versionId: z.string().nullable(), size: z.string(), etag: z.string() })
  .openapi('CompletedUpload');

function show({ uploadId, key, createdAtMs, storageClass }: Upload): z.infer<typeof uploadSchema> {
  return {
    id: uploadId as string,
    key: key as string,
    startedAt: isoTime(createdAtMs),
    storageClass,
  };
}

export function addUploadRoutes(api: Api): void {
  addStart(api);
  addReads(api);
  addCompletionAndAbort(api);
}

function addStart(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/uploads',
      operationId: 'createUpload',
      summary: 'Begin a multipart upload',
      tags: TAGS,
      access: 'objects:write',
      request: {
        params: bucketParams,
        body: jsonBody(attributesSchema.extend({ key: keySchema, checksum: checksumSchema })),
      },
      responses: { 201: jsonResponse(uploadSchema, 'Begun') },
    }),
    async (c) => {
      const call = callOf(c);
      const { key, checksum = null, tags = {}, ...attributes } = c.req.valid('json');
      const facts = { ...NO_FACTS, tags: toObjectTags({}, tags) };
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:write');
      const upload = await createUpload(call.core, bucket, {
        key: key as ObjectKey,
        facts,
        attributes: toAttributes(attributes, null),
        encryption: defaultEncryptionOf(bucket.record().settings.encryption),
        checksumAlgorithm: checksum,
        checksumType: null,
      });
      return c.json(show(upload), 201);
    },
  );
}

function addReads(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/uploads',
      operationId: 'listUploads',
      summary: 'Uploads that are not finished, by key',
      tags: TAGS,
      access: 'objects:read',
      request: {
        params: bucketParams,
        query: z.strictObject({ ...pageQuery, prefix: prefixQuery }),
      },
      responses: { 200: jsonResponse(pageOf(uploadSchema), 'Some of them') },
    }),
    async (c) => {
      const call = callOf(c);
      const { limit, cursor, prefix } = c.req.valid('query');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const list = `uploads ${JSON.stringify([bucket.record().id, prefix])}`;
      const [afterUploadId, afterKey] = splitPosition(readCursor(call.secrets, list, cursor));
      const page = await bucket.call('listUploads', {
        prefix,
        delimiter: '',
        maxUploads: limit,
        afterKey,
        afterUploadId,
      });

      const last = page.isTruncated ? page.last : null;
      const nextPosition = last === null ? null : joinPosition(last.uploadId, last.key);
      const nextCursor = cursorAt(call.secrets, list, nextPosition);
      return c.json({ items: page.uploads.map(show), nextCursor }, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/uploads/{uploadId}/parts',
      operationId: 'listParts',
      summary: 'Parts of an upload that have arrived',
      tags: TAGS,
      access: 'objects:read',
      request: { params: uploadParams, query: z.strictObject({ ...pageQuery, key: keySchema }) },
      responses: { 200: jsonResponse(pageOf(partSchema), 'Some of them') },
    }),
    async (c) => {
      const call = callOf(c);
      const { limit, cursor, key } = c.req.valid('query');
      const { bucket: name, uploadId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'objects:read');
      const list = `parts ${JSON.stringify([bucket.record().id, key, uploadId])}`;
      const { parts, isTruncated } = await bucket.call('listParts', {
        key: key as ObjectKey,
        uploadId: uploadId as UploadId,
        afterPartNumber: Number(readCursor(call.secrets, list, cursor)),
        maxParts: limit,
      });

      const last = isTruncated ? parts.at(-1) : undefined;
      const nextPosition = last === undefined ? null : `${last.partNumber}`;
      const nextCursor = cursorAt(call.secrets, list, nextPosition);
      const items = parts.map(({ partNumber, sizeBytes, md5: etag, lastModifiedMs, checksum }) => ({
        partNumber,
        size: `${sizeBytes}`,
        etag,
        lastModified: isoTime(lastModifiedMs),
        checksum,
      }));
      return c.json({ items, nextCursor }, 200);
    },
  );
}

function addCompletionAndAbort(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/uploads/{uploadId}/complete',
      operationId: 'completeUpload',
      summary: 'Make the parts the object, in one commit',
      tags: TAGS,
      access: 'objects:write',
      request: { params: uploadParams, body: jsonBody(completionSchema) },
      responses: { 200: jsonResponse(completedSchema, 'The object') },
    }),
    async (c) => {
      const call = callOf(c);
      const { key, parts, onlyIfNew, onlyIfEtag } = c.req.valid('json');
      const ifMatch = onlyIfEtag?.replaceAll('"', '') ?? null;
      const { bucket: name, uploadId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'objects:write');
      const object = await completeUpload(call.core, bucket, {
        key: key as ObjectKey,
        uploadId: uploadId as UploadId,
        parts: parts.map(({ partNumber, etag }) => ({
          partNumber,
          etag: etag.replaceAll('"', ''),
          checksum: null,
        })),
        expectedChecksum: null,
        expectedSizeBytes: null,
        condition:
          onlyIfNew || ifMatch !== null ? { ifMatch, ifNoneMatch: onlyIfNew ? '*' : null } : null,
      });
      const { versionId, isNull, sizeBytes, etag } = object;
      return c.json({ key, versionId: isNull ? null : versionId, size: `${sizeBytes}`, etag }, 200);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/buckets/{bucket}/uploads/{uploadId}',
      operationId: 'abortUpload',
      summary: 'Give an upload up; its parts are swept later',
      tags: TAGS,
      access: 'objects:write',
      request: { params: uploadParams, query: keyQuery },
      outcome: 'Gone',
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, uploadId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'objects:write');
      const key = c.req.valid('query').key as ObjectKey;
      await abortUpload(call.core, bucket, { key, uploadId: uploadId as UploadId });
      return c.body(null, 204);
    },
  );
}
