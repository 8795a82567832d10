// What has come by a drop link, and what was changed of it: its senders, its files
// and its history.
import { z } from '@hono/zod-openapi';
import { getDropLink } from '../../../core/links/drop/drop-links.ts';
import type { BucketHandle } from '../../../core/opened-bucket/bucket-handle.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { DropLink, DropSender, ListedDropFile } from '../../../domain/links/drop-link.ts';
import { type LinkId, parseLinkId } from '../../../domain/links/link-ids.ts';
import { LINK_HISTORY_MAX } from '../../../domain/links/link-limits.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonResponse, readRoute } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { pageOf, pageQuery, readPage } from '../../routing/paging.ts';
import { dropFileSchema, dropLinkParams, dropSenderSchema } from '../../schemas/drop-links.ts';
import { historySchema } from '../../schemas/links.ts';
import { showFile, showSender } from './show-drop.ts';
import { showHistory } from './show-share.ts';

const tags = ['Links'];

/** The id that a path names. NoSuchResource. */
export function idOf(text: string): LinkId {
  const id = parseLinkId(text);
  if (id === null) throw new StorageError('NoSuchResource');
  return id;
}

export function addDropRecordRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/drop-links/{dropLinkId}/senders',
      operationId: 'listDropSenders',
      summary: 'Who has sent by a drop link',
      tags,
      access: 'links:read',
      request: { params: dropLinkParams, query: z.strictObject(pageQuery) },
      responses: { 200: jsonResponse(pageOf(dropSenderSchema), 'By id') },
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket, linkId } = await openListed(call, c.req.valid('param'));
      const page = await readPage(call, c.req.valid('query'), {
        list: `drop senders ${linkId}`,
        read: (after, limit) => bucket.call('listDropSenders', { linkId, after, limit }),
        positionOf: ({ id }: DropSender) => id,
        show: showSender,
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/drop-links/{dropLinkId}/files',
      operationId: 'listDropFiles',
      summary: 'What has come by a drop link, unfinished files too',
      tags,
      access: 'links:read',
      request: { params: dropLinkParams, query: z.strictObject(pageQuery) },
      responses: { 200: jsonResponse(pageOf(dropFileSchema), 'By id') },
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket, linkId, link } = await openListed(call, c.req.valid('param'));
      const page = await readPage(call, c.req.valid('query'), {
        list: `drop files ${linkId}`,
        read: (after, limit) =>
          bucket.call('listDropFiles', { linkId, senderId: null, after, limit }),
        positionOf: ({ id }: ListedDropFile) => id,
        show: (file: ListedDropFile) => showFile(link, file),
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    readRoute({
      path: '/buckets/{bucket}/drop-links/{dropLinkId}/history',
      operationId: 'listDropLinkHistory',
      summary: 'What was changed of a drop link, by whom',
      tags,
      access: 'links:read',
      request: { params: dropLinkParams },
      item: z.object({ items: z.array(historySchema) }),
      outcome: `Newest first, at most ${LINK_HISTORY_MAX}`,
    }),
    async (c) => {
      const { bucket, linkId: id } = await openListed(callOf(c), c.req.valid('param'));
      const entries = await bucket.call('listShareHistory', { id });
      return c.json({ items: entries.map(showHistory) }, 200);
    },
  );
}

/** A link whose rows are listed. NoSuchResource. */
async function openListed(
  call: SignedInCall,
  { bucket: name, dropLinkId }: z.infer<typeof dropLinkParams>,
): Promise<{ readonly bucket: BucketHandle; readonly linkId: LinkId; readonly link: DropLink }> {
  const bucket = await openBucketOf(call, name, 'links:read');
  const linkId = idOf(dropLinkId);
  const { link } = await getDropLink(call.core, bucket, linkId);
  return { bucket, linkId, link };
}
