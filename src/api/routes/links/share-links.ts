// Share links of a bucket: made, listed, read, changed, revoked and deleted, with
// their history and statistics. Labels are in share-labels.ts.
import { z } from '@hono/zod-openapi';
import {
  changeShare,
  deleteShare,
  makeShare,
  readShare,
  revokeBelow,
  type ShareChange,
} from '../../../core/links/share/change-share.ts';
import {
  type LinkId,
  linkPath,
  parseLabelId,
  parseLinkId,
} from '../../../domain/links/link-ids.ts';
import {
  LINK_HISTORY_MAX,
  LINK_STATISTICS_DAYS,
  LINKS_PER_PAGE_MAX,
} from '../../../domain/links/link-limits.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { accountOf } from '../../routing/account-of.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import {
  apiRoute,
  changeRoute,
  deleteRoute,
  jsonResponse,
  listRoute,
  makingRoute,
  readRoute,
} from '../../routing/api-route.ts';
import { etagOfRevision, jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { joinPosition, pageOf, pageQuery, readPage, splitPosition } from '../../routing/paging.ts';
import { serviceOrigin } from '../../routing/service-origin.ts';
import { accountIdQuery } from '../../schemas/fields.ts';
import {
  changeShareSchema,
  daySchema,
  historySchema,
  linkEntrySchema,
  linkParams,
  listedShareSchema,
  makeShareSchema,
  shareSchema,
  sumSchema,
} from '../../schemas/links.ts';
import { bucketParams } from '../../schemas/object.ts';
import { isoTime } from '../../schemas/time.ts';
import { openToShare } from './open-to-link.ts';
import { revokeRoute } from './revoke-route.ts';
import {
  showDay,
  showHistory,
  showListed,
  showShare,
  showSum,
  toChange,
  toInput,
} from './show-share.ts';

const tags = ['Links'];
const linksLimit = z.coerce
  .number()
  .int()
  .min(1)
  .max(LINKS_PER_PAGE_MAX)
  .default(LINKS_PER_PAGE_MAX);
/** Rows of statistics that one response shows: days and labels together. */
const DAYS_SHOWN_MAX = 10_000;
const daysLimit = z.coerce.number().int().min(1).max(DAYS_SHOWN_MAX).default(DAYS_SHOWN_MAX);

export function addShareLinkRoutes(api: Api): void {
  addMaking(api);
  addLists(api);
  addChanging(api);
  addRecords(api);
}

/** Who changes something, for the history. */
export const changerOf = ({ caller: { memberId, accessKeyId } }: SignedInCall) => ({
  memberId,
  accessKeyId,
});

function addMaking(api: Api): void {
  api.openapi(
    makingRoute({
      path: '/buckets/{bucket}/share-links',
      operationId: 'createShareLink',
      summary: 'Share an object, a version, a folder or some objects by a link',
      description:
        'Whoever has its address needs no account. Who makes it must be able to read what it ' +
        'shares: objects:read.',
      tags,
      access: 'links:write',
      request: { params: bucketParams },
      input: makeShareSchema,
      made: shareSchema,
      outcome: 'The link',
    }),
    async (c) => {
      const call = callOf(c);
      const { target, ...rest } = c.req.valid('json');
      const bucket = await openToShare(call, c.req.valid('param').bucket);
      const input = { target, ...toInput({ target, ...rest }) };
      const link = await makeShare(call.core, bucket, input, changerOf(call));
      const shown = showShare(call, link, { downloads: 0, bytes: 0 });
      return jsonWithEtag(c, etagOfRevision(link), shown, 201);
    },
  );

  api.openapi(
    revokeRoute({
      path: '/buckets/{bucket}/share-links/revoke',
      operationId: 'revokeShareLinks',
      summary: 'Revoke all links to what lies below a prefix',
    }),
    async (c) => {
      const call = callOf(c);
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'links:write');
      const { prefix } = c.req.valid('json');
      const revoked = await revokeBelow(call.core, bucket, prefix, changerOf(call));
      return c.json({ revoked }, 200);
    },
  );
}

function addLists(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/share-links',
      operationId: 'listShareLinks',
      summary: 'The share links of a bucket',
      tags,
      access: 'links:read',
      request: { params: bucketParams, query: z.strictObject({ ...pageQuery, limit: linksLimit }) },
      responses: { 200: jsonResponse(pageOf(listedShareSchema), 'Newest first') },
    }),
    async (c) => {
      const call = callOf(c);
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'links:read');
      const page = await readPage(call, c.req.valid('query'), {
        list: `share-links ${bucket.record().id}`,
        read: (position, limit) =>
          bucket.call('listShareLinks', { before: beforeOf(position), limit }),
        positionOf: ({ link }) => joinPosition(`${link.createdAtMs}`, link.id),
        show: (row) => showListed(call, row),
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    listRoute({
      path: '/links',
      operationId: 'listLinks',
      summary: 'The links of all buckets, of both kinds',
      tags,
      access: 'links:read',
      filter: { accountId: accountIdQuery, kind: z.enum(['share', 'drop']).optional() },
      item: linkEntrySchema,
      order: 'Newest first',
    }),
    async (c) => {
      const call = callOf(c);
      const { accountId: named, kind = null, ...query } = c.req.valid('query');
      const accountId = accountOf(call, named);
      const { directory } = call.core.ports;
      const page = await readPage(call, query, {
        list: `links ${accountId} ${kind}`,
        read: (position, limit) =>
          directory.call('listLinkIds', { accountId, kind, before: beforeOf(position), limit }),
        positionOf: ({ id, createdAtMs }) => joinPosition(`${createdAtMs}`, id),
        show: (entry) => ({
          id: entry.id,
          kind: entry.kind,
          bucket: entry.bucket.name,
          url: serviceOrigin(call.request) + linkPath(entry.kind, { id: entry.id, labelId: null }),
          createdAt: isoTime(entry.createdAtMs),
        }),
      });
      return c.json(page, 200);
    },
  );
}

/** Whether others may read more by a link that is changed so: its logo is any object. */
function mayOpenMore({ note: _note, isRevoked, ...rest }: ShareChange): boolean {
  return isRevoked === false || Object.keys(rest).length > 0;
}

/** The link that a page ended with; null: it is the first. */
function beforeOf(position: string) {
  const [createdAtMs, id] = splitPosition(position);
  const linkId = parseLinkId(id);
  return linkId === null ? null : { id: linkId, createdAtMs: Number(createdAtMs) };
}

/** The row of statistics that a page ended with; null: it is the first. */
function dayBefore(position: string) {
  const [dayMs, labelId] = splitPosition(position);
  return dayMs === '' ? null : { dayMs: Number(dayMs), labelId: parseLabelId(labelId) };
}

function addChanging(api: Api): void {
  api.openapi(
    readRoute({
      path: '/buckets/{bucket}/share-links/{linkId}',
      operationId: 'getShareLink',
      summary: 'A share link',
      tags,
      access: 'links:read',
      request: { params: linkParams },
      item: shareSchema,
      outcome: 'The link, with what counts against its limits',
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, linkId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'links:read');
      const { link, usage } = await readShare(call.core, bucket, linkId as LinkId);
      return jsonWithEtag(c, etagOfRevision(link), showShare(call, link, usage), 200);
    },
  );

  api.openapi(
    changeRoute({
      method: 'patch',
      path: '/buckets/{bucket}/share-links/{linkId}',
      operationId: 'changeShareLink',
      summary: 'Change, revoke or revive a share link',
      description: 'Needs objects:read too, unless all it does is to revoke or to change the note.',
      tags,
      access: 'links:write',
      request: { params: linkParams },
      change: changeShareSchema,
      changed: shareSchema,
      outcome: 'The link as it is now',
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, linkId } = c.req.valid('param');
      const id = linkId as LinkId;
      const change = toChange(c.req.valid('json'));
      const bucket = await (mayOpenMore(change)
        ? openToShare(call, name)
        : openBucketOf(call, name, 'links:write'));
      await changeShare(call.core, bucket, { id, change }, changerOf(call), (link) =>
        requireMatch(c, etagOfRevision(link)),
      );
      const { link, usage } = await readShare(call.core, bucket, id);
      return jsonWithEtag(c, etagOfRevision(link), showShare(call, link, usage), 200);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/buckets/{bucket}/share-links/{linkId}',
      operationId: 'deleteShareLink',
      summary: 'Delete a share link with its labels, history and statistics, for good',
      tags,
      access: 'links:write',
      request: { params: linkParams },
      outcome: 'It is gone',
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, linkId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'links:write');
      await deleteShare(call.core, bucket, linkId as LinkId);
      return c.body(null, 204);
    },
  );
}

function addRecords(api: Api): void {
  api.openapi(
    readRoute({
      path: '/buckets/{bucket}/share-links/{linkId}/history',
      operationId: 'listShareLinkHistory',
      summary: 'What was changed of a share link, by whom',
      tags,
      access: 'links:read',
      request: { params: linkParams },
      item: z.object({ items: z.array(historySchema) }),
      outcome: `Newest first, at most ${LINK_HISTORY_MAX}`,
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, linkId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'links:read');
      const id = linkId as LinkId;
      await readShare(call.core, bucket, id);
      const entries = await bucket.call('listShareHistory', { id });
      return c.json({ items: entries.map(showHistory) }, 200);
    },
  );

  api.openapi(
    readRoute({
      path: '/buckets/{bucket}/share-links/{linkId}/statistics',
      operationId: 'getShareLinkStatistics',
      summary: 'What visitors did with a share link, by day and label',
      tags,
      access: 'links:read',
      request: {
        params: linkParams,
        query: z.strictObject({
          ...pageQuery,
          limit: daysLimit,
          days: z.coerce.number().int().min(1).max(LINK_STATISTICS_DAYS).default(30),
        }),
      },
      item: pageOf(daySchema).extend({
        sums: z
          .array(sumSchema)
          .openapi({ description: 'Since the link was made, for each label that was used.' }),
      }),
      outcome: 'Newest first; at most some seconds old on Node, a minute on Cloudflare',
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, linkId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'links:read');
      const id = linkId as LinkId;
      await readShare(call.core, bucket, id);
      const { days, ...query } = c.req.valid('query');
      const fromDayMs = call.core.ports.clock.nowMs() - days * DAY_MS;
      const page = await readPage(call, query, {
        list: `share-days ${id}`,
        read: (position, limit) =>
          bucket.call('listShareDays', { id, fromDayMs, before: dayBefore(position), limit }),
        positionOf: ({ dayMs, labelId }) => joinPosition(`${dayMs}`, labelId ?? ''),
        show: showDay,
      });
      const sums = await bucket.call('listShareSums', { id });
      return c.json({ ...page, sums: sums.map(showSum) }, 200);
    },
  );
}
