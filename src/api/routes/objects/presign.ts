// The bytes of objects: presigned URLs of the S3 surface. Uploads and downloads
// have one entrance with all its checks, ranges and meters. A browser that is
// signed in here shows and sends files at the same origin, without any CORS rule.
import { z } from '@hono/zod-openapi';
import { PART_NUMBER_MAX, PUT_MAX_BYTES } from '../../../core/limits.ts';
import { StorageError } from '../../../domain/errors.ts';
import { isTypePattern } from '../../../domain/links/media-types.ts';
import {
  TYPES_MAX,
  USES_MAX,
  uploadLimitParameters,
} from '../../../http/s3/headers/upload-limits.ts';
import { type PresignRequest, presignUrl } from '../../../http/s3/signature/presign.ts';
import { MAX_EXPIRES_SECONDS } from '../../../http/s3/signature/request-time.ts';
import { PREVIEW_PARAMETER } from '../../../http/semantics/active-content.ts';
import { attachment, inline } from '../../../http/semantics/content-disposition.ts';
import { isHeaderText } from '../../../http/semantics/header-text.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { serviceOrigin } from '../../routing/service-origin.ts';
import { type Signing, signingOf } from '../../routing/signing.ts';
import { bucketParams, fileNameSchema, keySchema, versionIdSchema } from '../../schemas/object.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';

const TAGS = ['Objects'];
const REQUESTS_MAX = 1000;
const HEADERS_MAX = 40;
const EXPIRES_DEFAULT_SECONDS = 3600;
/**
 * Life of a redirect's URL: it is followed at once, but a slow player reads ranges
 * for hours.
 */
const REDIRECT_EXPIRES_SECONDS = 6 * 3600;

/**
 * Headers in which the sender of the bytes may describe the object, besides those
 * of x-amz.
 */
const SIGNED_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-md5',
  'cache-control',
  'expires',
  'if-match',
  'if-none-match',
]);
/** Headers of x-amz that are signed; S3 refuses those that are not. */
const SIGNED_AMZ_HEADER =
  /^x-amz-(?:meta-[a-z0-9_.-]{1,100}|tagging|storage-class|checksum-[a-z0-9]{1,20})$/;

const isSignedHeader = (name: string) => SIGNED_HEADERS.has(name) || SIGNED_AMZ_HEADER.test(name);

const headersSchema = z
  .record(
    z.string().refine(isSignedHeader),
    z.string().max(2048).refine(isHeaderText, 'not a text of a header'),
  )
  .refine(
    (headers) => Object.keys(headers).length <= HEADERS_MAX,
    `at most ${HEADERS_MAX} headers`,
  );
/**
 * Digests, and nothing else: what is true of all parts was said when the upload
 * began.
 */
const PART_HEADER = /^(?:content-md5|x-amz-checksum-[a-z0-9]{1,20})$/;
const partHeadersSchema = z
  .record(
    z.string().regex(PART_HEADER),
    z.string().max(256).refine(isHeaderText, 'not a text of a header'),
  )
  .refine(
    (headers) => Object.keys(headers).length <= HEADERS_MAX,
    `at most ${HEADERS_MAX} headers`,
  );
const byteLimits = {
  minBytes: z.number().int().min(0).max(PUT_MAX_BYTES).optional(),
  maxBytes: z.number().int().min(0).max(PUT_MAX_BYTES).optional(),
  maxUses: z.number().int().min(1).max(USES_MAX).optional().openapi({
    description: 'How many requests may succeed by this URL; those that fail do not count.',
  }),
  keyPrefix: keySchema.optional().openapi({
    description:
      'The URL is for every key that begins so: what follows in its path may be replaced.',
  }),
};
const LIMITS = 'Signed into the URL, and enforced before the first byte is stored.';
const partLimitsSchema = z.strictObject(byteLimits).openapi({ description: LIMITS });
const limitsSchema = z
  .strictObject({
    ...byteLimits,
    contentTypes: z
      .array(z.string().refine(isTypePattern, 'not a media type in lower case'))
      .min(1)
      .max(TYPES_MAX)
      .optional()
      .openapi({ description: 'Media types of the bytes; `image/*` means all of its kind.' }),
  })
  .openapi({ description: LIMITS });
const versionId = versionIdSchema.optional();
const checksums = z.boolean().default(false).openapi({
  description: 'The response names the stored checksum, as x-amz-checksum-mode wants it.',
});
const requestSchema = z
  .discriminatedUnion('operation', [
    z.strictObject({
      operation: z.literal('get'),
      key: keySchema,
      versionId,
      fileName: fileNameSchema
        .optional()
        .openapi({ description: 'A browser saves it under that name, instead of showing it.' }),
      checksums,
    }),
    z.strictObject({ operation: z.literal('head'), key: keySchema, versionId, checksums }),
    z.strictObject({ operation: z.literal('delete'), key: keySchema, versionId }),
    z.strictObject({
      operation: z.literal('put'),
      key: keySchema,
      headers: headersSchema
        .default({})
        .openapi({ description: 'In lower case; they must be sent with the bytes.' }),
      limits: limitsSchema.optional(),
    }),
    z.strictObject({
      operation: z.literal('put-part'),
      key: keySchema,
      uploadId: z.string().regex(/^[\w-]{1,256}$/),
      partNumber: z.number().int().min(1).max(PART_NUMBER_MAX),
      headers: partHeadersSchema.default({}).openapi({
        description: 'Digests of the part, in lower case; they must be sent with the bytes.',
      }),
      limits: partLimitsSchema.optional(),
    }),
  ])
  .openapi('UrlRequest');
const urlSchema = z
  .object({
    method: z.enum(['GET', 'HEAD', 'PUT', 'DELETE']),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
  })
  .openapi('PresignedUrl');

type Request = z.infer<typeof requestSchema>;

export function addPresignRoutes(api: Api): void {
  addPresign(api);
  addContent(api);
}

function addPresign(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/presigned-urls',
      operationId: 'presignUrls',
      summary:
        'URLs for up to 1,000 requests to objects, ' +
        'each of which works without any key until it expires',
      description:
        'They end with the key or member that asked, no later than a token that asks, ' +
        'and are decided upon when they are used. Writing needs objects:write.',
      tags: TAGS,
      access: 'objects:read',
      isReadOnly: true,
      request: {
        params: bucketParams,
        body: jsonBody(
          z.strictObject({
            requests: z.array(requestSchema).min(1).max(REQUESTS_MAX),
            expiresSeconds: z
              .number()
              .int()
              .min(1)
              .max(MAX_EXPIRES_SECONDS)
              .default(EXPIRES_DEFAULT_SECONDS),
          }),
        ),
      },
      responses: {
        200: jsonResponse(
          z.object({ items: z.array(urlSchema), expiresAt: timeSchema }),
          'In the order of the requests',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const { requests, expiresSeconds } = c.req.valid('json');
      const isReading = requests.every(
        ({ operation }) => operation === 'get' || operation === 'head',
      );
      const scope = isReading ? 'objects:read' : 'objects:write';
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, scope);

      const signing = await signingOf(call, bucket.record(), expiresSeconds);
      const items = requests.map((request) => presign(call, signing, request));
      const expiresAtMs = call.core.ports.clock.nowMs() + signing.expiresSeconds * 1000;
      return c.json({ items, expiresAt: isoTime(expiresAtMs) }, 200);
    },
  );
}

function addContent(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/content',
      operationId: 'getContent',
      summary: 'Go to the bytes of an object: for links and images of a page that is signed in',
      tags: TAGS,
      access: 'objects:read',
      request: {
        params: bucketParams,
        query: z.strictObject({
          key: keySchema,
          versionId,
          disposition: z.enum(['inline', 'attachment']).optional().openapi({
            description:
              '`inline`: a browser shows it, `attachment`: saves it, whatever is stored with it.',
          }),
          download: z
            .enum(['0', '1'])
            .default('0')
            .openapi({ description: '1: as `disposition=attachment`.' }),
          contentType: z.enum(['application/pdf']).optional().openapi({
            description: 'A browser takes it for that, whatever type is stored with it.',
          }),
          preview: z.enum(['0', '1']).default('0').openapi({
            description:
              '1: a page that is shown runs no script, and loads only what it has in itself.',
          }),
        }),
      },
      responses: { 307: { description: 'At the presigned URL in Location' } },
    }),
    async (c) => {
      const call = callOf(c);
      const query = c.req.valid('query');
      const { key, versionId, download, disposition, contentType } = query;
      const { bucket: name } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'objects:read');
      const fileName = key.split('/').findLast((part) => part !== '') ?? key;
      const target = {
        // A HEAD is redirected as one, and its method is part of what is signed.
        operation: call.request.method === 'HEAD' ? ('head' as const) : ('get' as const),
        key,
        checksums: false,
        ...(versionId === undefined ? {} : { versionId }),
      };
      const shown = disposition ?? (download === '1' ? 'attachment' : undefined);
      const overrides = {
        ...(shown && { 'response-content-disposition': DISPOSITIONS[shown](fileName) }),
        ...(contentType && { 'response-content-type': contentType }),
        ...(query.preview === '1' && { [PREVIEW_PARAMETER]: '1' }),
      };

      const signing = await signingOf(call, bucket.record(), REDIRECT_EXPIRES_SECONDS);
      const { url } = presign(call, signing, target, overrides);
      return c.body(null, 307, { location: url });
    },
  );
}

function presign(
  call: SignedInCall,
  { accessKey, bucket, expiresSeconds }: Signing,
  request: Request,
  overrides: Readonly<Record<string, string>> = {},
) {
  const method = METHODS[request.operation];
  const headers = 'headers' in request ? request.headers : {};
  const limits = limitsOf(request);
  requirePrefix(request.key, limits.keyPrefix);
  const target: PresignRequest = {
    method,
    bucket,
    key: request.key,
    headers,
    expiresSeconds,
    origin: serviceOrigin(call.request),
    keyPrefix: limits.keyPrefix,
    query: { ...queryOf(request), ...uploadLimitParameters(limits), ...overrides },
  };
  const nowMs = call.core.ports.clock.nowMs();
  const url = presignUrl(accessKey, target, { nowMs, region: call.region });
  return { method, url, headers };
}

const DISPOSITIONS = { inline, attachment } as const;

const METHODS = {
  get: 'GET',
  head: 'HEAD',
  delete: 'DELETE',
  put: 'PUT',
  'put-part': 'PUT',
} as const;

type Limits = NonNullable<Extract<Request, { operation: 'put' }>['limits']>;

function limitsOf(request: Request): Limits {
  return ('limits' in request ? request.limits : undefined) ?? {};
}

/** InvalidArgument for a key that its own URL would not take. */
function requirePrefix(key: string, keyPrefix: string | undefined): void {
  if (keyPrefix === undefined || key.startsWith(keyPrefix)) return;
  throw new StorageError('InvalidArgument', {
    detail: 'The key must begin with limits.keyPrefix.',
  });
}

function queryOf(request: Request): Record<string, string> {
  if (request.operation === 'put') return {};
  if (request.operation === 'put-part')
    return { partNumber: `${request.partNumber}`, uploadId: request.uploadId };
  const { versionId } = request;
  const fileName = request.operation === 'get' ? request.fileName : undefined;
  const wantsChecksums = request.operation !== 'delete' && request.checksums;
  return {
    ...(versionId === undefined ? {} : { versionId }),
    ...(wantsChecksums ? { 'x-amz-checksum-mode': 'ENABLED' } : {}),
    ...(fileName === undefined ? {} : { 'response-content-disposition': attachment(fileName) }),
  };
}
