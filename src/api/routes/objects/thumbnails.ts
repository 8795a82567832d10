// Thumbnails of images, private ones too, for pages that are signed in: small, made
// once, and kept by the browser. http/delivery/thumbnails.ts makes them; here it is
// decided who may have one.
import { z } from '@hono/zod-openapi';
import { parseObjectKey } from '../../../core/parse-names.ts';
import type { BucketRecord, ObjectVersion } from '../../../domain/nouns.ts';
import {
  THUMBNAIL_SIZES,
  type ThumbnailSize,
  thumbnailOf,
} from '../../../http/delivery/thumbnails.ts';
import { FailureWithHeaders } from '../../../http/failure-with-headers.ts';
import { sourceOf } from '../../../http/request-source.ts';
import { openVersion } from '../../../http/s3/call/find-version.ts';
import { parseVersionName } from '../../../http/s3/formats/version-name.ts';
import { findEntityTag } from '../../../http/semantics/entity-tag.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { decideAs, signingOf } from '../../routing/signing.ts';
import { bucketParams, keySchema, versionIdSchema } from '../../schemas/object.ts';

/** A browser asks again after so many seconds, where the address names no state. */
const FRESH_SECONDS = 60;
/** The usual bound of what never changes, seconds. */
const YEAR_SECONDS = 31_536_000;

const HEADERS = {
  // Another caller of the same browser must not be shown what was kept for the last.
  vary: 'Accept, Authorization, Cookie',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

const imageSchema = z.string().openapi({ format: 'binary' });
const sizeSchema = z.enum(THUMBNAIL_SIZES.map(String) as [string, ...string[]]);

const thumbnailQuery = z.strictObject({
  key: keySchema,
  size: sizeSchema.default('256').openapi({ description: 'Pixels of its larger side.' }),
  versionId: versionIdSchema.optional(),
  etag: z
    .string()
    .regex(/^[\x21\x23-\x7e]{1,128}$/)
    .optional()
    .openapi({
      description:
        'The ETag of the object that the page knows. While that is so, the browser keeps the ' +
        'image for a year and never asks again.',
    }),
});

/** Adds the route of thumbnails. */
export function addThumbnailRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/thumbnail',
      operationId: 'getThumbnail',
      summary: 'A small image of an image, for who may read it',
      description:
        'WebP, AVIF or JPEG, by Accept; with a side of 64 or 256 pixels at most 20 KiB. ' +
        'UnsupportedMediaType for what is no image or too large a one, NotImplemented where ' +
        'the service makes no images.',
      tags: ['Objects'],
      access: 'objects:read',
      request: { params: bucketParams, query: thumbnailQuery },
      responses: {
        200: {
          description: 'The image',
          content: {
            'image/webp': { schema: imageSchema },
            'image/avif': { schema: imageSchema },
            'image/jpeg': { schema: imageSchema },
          },
        },
        304: { description: 'The browser has it' },
      },
    }),
    async (c) => {
      const call = callOf(c);
      const query = c.req.valid('query');
      const { record, version } = await versionOf(call, c.req.valid('param').bucket, query);
      const size = Number(query.size) as ThumbnailSize;
      const thumbnail = thumbnailOf(call.core, version, {
        size,
        accept: c.req.header('accept') ?? '',
      });

      // The version from before the bucket kept any may be replaced.
      const isNamed = query.versionId !== undefined && query.versionId !== 'null';
      const isFixed = isNamed || query.etag === version.etag;
      const headers = {
        ...HEADERS,
        etag: `W/"${thumbnail.etag}"`,
        'cache-control': isFixed
          ? `private, max-age=${YEAR_SECONDS}, immutable`
          : `private, max-age=${FRESH_SECONDS}`,
      };
      const meter = meterOf(call, record, version);
      const sent = c.req.header('if-none-match') ?? '';
      if (findEntityTag(sent, (tag) => tag === thumbnail.etag, true)) {
        await meter.require(0);
        meter.count(0);
        return c.body(null, 304, headers);
      }

      // How long it will be is not known yet: a byte at least.
      await meter.require(1);
      const requester = {
        tenant: record.ownerId,
        bucket: record.id,
        source: sourceOf(call.request),
      };
      const { bytes, contentType } = await thumbnail.find(requester);
      const bytesOut = call.request.method === 'HEAD' ? 0 : bytes.length;
      await meter.require(bytesOut);
      meter.count(bytesOut);
      const type = contentType ?? 'application/octet-stream';
      return c.body(bytes.slice(), 200, { ...headers, 'content-type': type });
    },
  );
}

/**
 * The version that a caller may read, and its bucket. NoSuchBucket, NoSuchKey,
 * NoSuchVersion, AccessDenied.
 */
async function versionOf(
  call: SignedInCall,
  name: string,
  { key, versionId }: z.infer<typeof thumbnailQuery>,
): Promise<{ readonly record: BucketRecord; readonly version: ObjectVersion }> {
  const record = (await openBucketOf(call, name, 'objects:read')).record();
  const { accessKey } = await signingOf(call, record, 1);
  const wanted = {
    bucket: record.name,
    key: parseObjectKey(key),
    versionId: parseVersionName(versionId ?? null),
    action: versionId === undefined ? ('s3:GetObject' as const) : ('s3:GetObjectVersion' as const),
  };
  const decide = decideAs(call, accessKey, 'GetObject');
  try {
    const { version } = await openVersion(call.core, decide, wanted, () => undefined);
    return { record, version };
  } catch (error) {
    // What S3 says in headers besides is nothing to clients of the API.
    throw error instanceof FailureWithHeaders ? error.failure : error;
  }
}

/**
 * Counts the one read of a request, within the caps of its bucket: `require` before
 * work is done, `count` in the tick of the response. Both throw as CapGuard does.
 */
function meterOf(
  { caller, caps, core }: SignedInCall,
  { id, ownerId, settings }: BucketRecord,
  { storageClass }: ObjectVersion,
) {
  const owner = { accountId: ownerId, bucketId: id, accessKeyId: caller.accessKeyId };
  const guard = settings.isCapped === true ? caps : undefined;
  const useOf = (bytesOut: number) =>
    ({ operationClass: 'B', bytesOut, fromMemory: false }) as const;

  return {
    async require(bytesOut: number): Promise<void> {
      await guard?.require(owner, useOf(bytesOut));
    },
    count(bytesOut: number): void {
      const refusal = guard?.refusalNow(owner, useOf(bytesOut)) ?? null;
      if (refusal !== null) throw refusal;
      core.ports.meter.of(owner).count('B', bytesOut, 'memory', storageClass);
    },
  };
}
