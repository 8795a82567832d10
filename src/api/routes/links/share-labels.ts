// The recipients of a share link: each has an address of its own, is counted by
// itself and can be revoked.
import { z } from '@hono/zod-openapi';
import { addLabel, changeLabel, readShare } from '../../../core/links/share/change-share.ts';
import type { LinkId } from '../../../domain/links/link-ids.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import {
  apiRoute,
  jsonBody,
  jsonResponse,
  makingRoute,
  readRoute,
} from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { labelNameSchema, labelParams, labelSchema, linkParams } from '../../schemas/links.ts';
import { openToShare } from './open-to-link.ts';
import { changerOf } from './share-links.ts';
import { showLabel } from './show-share.ts';

const tags = ['Links'];

export function addShareLabelRoutes(api: Api): void {
  api.openapi(
    readRoute({
      path: '/buckets/{bucket}/share-links/{linkId}/labels',
      operationId: 'listShareLinkLabels',
      summary: 'The recipients of a share link',
      tags,
      access: 'links:read',
      request: { params: linkParams },
      item: z.object({ items: z.array(labelSchema) }),
      outcome: 'All of them',
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, linkId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'links:read');
      const id = linkId as LinkId;
      const { labels } = await readShare(call.core, bucket, id);
      return c.json({ items: labels.map((label) => showLabel(call, id, label)) }, 200);
    },
  );

  api.openapi(
    makingRoute({
      path: '/buckets/{bucket}/share-links/{linkId}/labels',
      operationId: 'addShareLinkLabel',
      summary: 'Add a recipient to a share link, with an address of its own',
      tags,
      access: 'links:write',
      request: { params: linkParams },
      input: z.strictObject({ name: labelNameSchema }),
      made: labelSchema,
      outcome: 'The recipient',
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: bucketName, linkId } = c.req.valid('param');
      const bucket = await openBucketOf(call, bucketName, 'links:write');
      const id = linkId as LinkId;
      const { name } = c.req.valid('json');
      const label = await addLabel(call.core, bucket, { linkId: id, name }, changerOf(call));
      return c.json(showLabel(call, id, label), 201);
    },
  );

  api.openapi(
    apiRoute({
      method: 'patch',
      path: '/buckets/{bucket}/share-links/{linkId}/labels/{labelId}',
      operationId: 'changeShareLinkLabel',
      summary: 'Rename, revoke or revive the copy of one recipient',
      tags,
      access: 'links:write',
      request: {
        params: labelParams,
        body: jsonBody(z.strictObject({ name: labelNameSchema, isRevoked: z.boolean() }).partial()),
      },
      responses: { 200: jsonResponse(labelSchema, 'The recipient as it is now') },
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: bucketName, linkId, labelId } = c.req.valid('param');
      const change = c.req.valid('json');
      const bucket = await (change.isRevoked === false
        ? openToShare(call, bucketName)
        : openBucketOf(call, bucketName, 'links:write'));
      const id = linkId as LinkId;
      const input = { linkId: id, labelId, change };
      const label = await changeLabel(call.core, bucket, input, changerOf(call));
      return c.json(showLabel(call, id, label), 200);
    },
  );
}
