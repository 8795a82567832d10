// The versions of a bucket's keys, as they followed each other. One of them is
// shown and made current again by object.ts.
import { z } from '@hono/zod-openapi';
import type { VersionName, VersionSummary } from '../../../domain/nouns.ts';
import { versionNameOf } from '../../../http/s3/formats/version-name.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import {
  cursorAt,
  joinPosition,
  pageOf,
  pageQuery,
  readCursor,
  splitPosition,
} from '../../routing/paging.ts';
import { bucketParams, keySchema, objectSchema, prefixQuery } from '../../schemas/object.ts';
import { isoTime, isoTimeOrNull, timeSchema } from '../../schemas/time.ts';

const versionSchema = objectSchema
  .extend({
    versionId: z.string(),
    isLatest: z.boolean(),
    isDeleteMarker: z.boolean(),
    replacedAt: timeSchema
      .nullable()
      .openapi({ description: 'When the next version took its place.' }),
  })
  .openapi('ObjectVersion');

function showVersion(version: VersionSummary): z.infer<typeof versionSchema> {
  const { key, sizeBytes, etag, lastModifiedMs, storageClass, isLatest, isMarker, replacedAtMs } =
    version;
  return {
    key: key as string,
    versionId: versionNameOf(version),
    isLatest,
    isDeleteMarker: isMarker,
    size: `${sizeBytes}`,
    etag,
    lastModified: isoTime(lastModifiedMs),
    storageClass,
    replacedAt: isoTimeOrNull(replacedAtMs),
  };
}

export function addObjectHistoryRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/versions',
      operationId: 'listVersions',
      summary: 'Versions and delete markers, by key, of each key the latest first',
      tags: ['Objects'],
      access: 'objects:read',
      request: {
        params: bucketParams,
        query: z.strictObject({
          ...pageQuery,
          prefix: prefixQuery,
          key: keySchema.optional().openapi({ description: 'The history of this key alone.' }),
        }),
      },
      responses: { 200: jsonResponse(pageOf(versionSchema), 'Some of them') },
    }),
    async (c) => {
      const call = callOf(c);
      const { limit, cursor, prefix, key } = c.req.valid('query');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const list = `versions ${JSON.stringify([bucket.record().id, prefix, key ?? null])}`;
      const [afterVersionId, afterKey] = splitPosition(readCursor(call.secrets, list, cursor));
      const page = await bucket.call('listVersions', {
        prefix: key ?? prefix,
        delimiter: '',
        maxKeys: limit,
        afterKey,
        afterVersionId: afterVersionId as VersionName | '',
      });

      const versions =
        key === undefined ? page.versions : page.versions.filter((version) => version.key === key);
      const isOver = !page.isTruncated || versions.length < page.versions.length;
      const last = isOver ? null : page.last;
      const nextPosition = last === null ? null : joinPosition(last.versionId, last.key);
      const nextCursor = cursorAt(call.secrets, list, nextPosition);
      return c.json({ items: versions.map(showVersion), nextCursor }, 200);
    },
  );
}
