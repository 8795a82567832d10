// ZIP files of objects that somebody has selected: the selection is stored for
// minutes, and a URL of the S3 surface that names it streams the archive. Whether
// the objects may be read is decided here, and anew when the URL is followed.
import { z } from '@hono/zod-openapi';
import { KEY_MAX_BYTES } from '../../../core/limits.ts';
import { storeSelection } from '../../../core/objects/object-selections.ts';
import type { ObjectSelection } from '../../../domain/keys/object-selection.ts';
import { requireAllowed } from '../../../http/access/decide-call.ts';
import { SELECTION_PARAMETER, usualName } from '../../../http/s3/operations/object/zip.ts';
import { presignUrl } from '../../../http/s3/signature/presign.ts';
import { planZip } from '../../../http/zip/plan-zip.ts';
import { createRateLimit } from '../../requests/rate-limit.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { serviceOrigin } from '../../routing/service-origin.ts';
import { decideAs, signingOf } from '../../routing/signing.ts';
import { bucketParams, fileNameSchema, keySchema } from '../../schemas/object.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';

/** Keys and prefixes of one selection. Our own limits; the body ends at 1 MiB. */
const KEYS_MAX = 10_000;
const PREFIXES_MAX = 100;
/**
 * Life of the URL, and of the selection behind it: a browser follows it at once.
 * Our own limit.
 */
const EXPIRES_SECONDS = 600;

const selectionSchema = z
  .strictObject({
    base: z
      .string()
      .max(KEY_MAX_BYTES)
      .regex(/^$|\/$/, 'ends in a slash, or is empty')
      .default('')
      .openapi({ description: 'The folder behind which names in the ZIP begin.' }),
    keys: z.array(keySchema).max(KEYS_MAX).default([]),
    prefixes: z
      .array(z.string().max(KEY_MAX_BYTES))
      .max(PREFIXES_MAX)
      .default([])
      .openapi({ description: 'Everything that begins so: a folder ends in a slash.' }),
    fileName: fileNameSchema
      .optional()
      .openapi({ description: 'Name of the file; without it that of the folder.' }),
  })
  .refine(({ keys, prefixes }) => keys.length + prefixes.length > 0, {
    path: ['keys'],
    error: 'nothing is selected',
  })
  .refine(({ base, keys }) => keys.every((key) => key.startsWith(base)), {
    path: ['keys'],
    error: 'each must begin with base',
  })
  .refine(({ base, prefixes }) => prefixes.every((prefix) => prefix.startsWith(base)), {
    path: ['prefixes'],
    error: 'each must begin with base',
  });

const zipSchema = z
  .object({
    url: z.string().openapi({ description: 'A browser goes there, and saves the file.' }),
    bytes: z.string().openapi({ description: 'Length of the file now.', example: '1048576' }),
    objects: z.number().int().openapi({ description: 'Objects in it.' }),
    expiresAt: timeSchema,
  })
  .openapi('Zip');

/** Selections that an account may have stored in a minute, by each process. */
const ZIPS_PER_MINUTE = 60;

/** Adds the route of ZIP files of selections. */
export function addZipRoutes(api: Api): void {
  const zipsOfAccount = createRateLimit('zips', ZIPS_PER_MINUTE);
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/zips',
      operationId: 'createZip',
      summary: 'A URL, for ten minutes, of a ZIP file with up to 10,000 objects',
      description:
        'The caller must be allowed to list `base` and to read every object; nothing is left ' +
        'out without a word. That is decided again when the URL is followed, and the ZIP holds ' +
        'the objects as they are then.',
      tags: ['Objects'],
      access: 'objects:read',
      isReadOnly: true,
      request: { params: bucketParams, body: jsonBody(selectionSchema) },
      responses: { 200: jsonResponse(zipSchema, 'The URL, and how long its file is') },
    }),
    async (c) => {
      const call = callOf(c);
      const { core } = call;
      const { fileName, ...selection } = c.req.valid('json');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const record = bucket.record();
      const { accessKey, expiresSeconds } = await signingOf(call, record, EXPIRES_SECONDS);
      const decide = decideAs(call, accessKey, 'DownloadZip');

      zipsOfAccount.count(`account ${call.caller.accountId}`, core.ports.clock.nowMs());
      const { base } = selection satisfies ObjectSelection;
      requireAllowed(decide, record, { action: 's3:ListBucket', key: null, prefix: base });
      const { entries, sizeBytes } = await planZip(core, bucket, decide, selection);

      const id = await storeSelection(core, bucket, selection, expiresSeconds);
      const nowMs = core.ports.clock.nowMs();
      const target = {
        method: 'GET' as const,
        bucket: record.name,
        key: base,
        headers: {},
        expiresSeconds,
        origin: serviceOrigin(call.request),
        query: { zip: fileName ?? usualName(selection, record.name), [SELECTION_PARAMETER]: id },
      };
      const zip = {
        url: presignUrl(accessKey, target, { nowMs, region: call.region }),
        bytes: `${sizeBytes}`,
        objects: entries.length,
        expiresAt: isoTime(nowMs + expiresSeconds * 1000),
      };
      return c.json(zip, 200);
    },
  );
}
