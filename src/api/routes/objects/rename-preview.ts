// What a rename of many objects by a pattern would do, before it is started as a job.
import { z } from '@hono/zod-openapi';
import { previewRename } from '../../../core/key-jobs/preview-rename.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { bucketParams } from '../../schemas/object.ts';
import { renameFields, selectionOf, toPattern } from './job-schemas.ts';

const previewSchema = z
  .object({
    total: z.number().int().openapi({ description: 'Objects whose name changes.' }),
    names: z.array(
      z.object({
        key: z.string(),
        toKey: z.string().nullable(),
        clash: z
          .enum(['taken', 'duplicate', 'invalid'])
          .nullable()
          .openapi({
            description:
              'taken: by an object that keeps its name; duplicate: another gets it too; invalid: ' +
              'no key can be so. Of a clash the job finds a conflict.',
          }),
      }),
    ),
  })
  .openapi('RenamePreview');

export function addRenamePreviewRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/rename-preview',
      operationId: 'previewRename',
      isReadOnly: true,
      summary: 'The first 1,000 names that a rename by a pattern would give, with clashes',
      tags: ['Jobs'],
      access: 'objects:read',
      request: { params: bucketParams, body: jsonBody(z.strictObject(renameFields)) },
      responses: { 200: jsonResponse(previewSchema, 'The names, in the order of the job') },
    }),
    async (c) => {
      const call = callOf(c);
      const { pattern, ...selected } = c.req.valid('json');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const { total, names } = await previewRename(bucket, {
        selection: selectionOf(selected),
        pattern: toPattern(pattern),
      });
      const shown = names.map(({ key, toKey, clash }) => ({
        key: key as string,
        toKey: toKey as string | null,
        clash,
      }));
      return c.json({ total, names: shown }, 200);
    },
  );
}
