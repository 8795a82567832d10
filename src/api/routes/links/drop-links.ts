// Drop links of a bucket: made, listed, read, changed, revoked, released and
// deleted. Their senders, files and history are in drop-records.ts.
import { z } from '@hono/zod-openapi';
import { startKeyJob } from '../../../core/key-jobs/start-key-job.ts';
import {
  changeDropLink,
  createDropLink,
  getDropLink,
  removeDropLink,
} from '../../../core/links/drop/drop-links.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { DropSettings } from '../../../domain/links/drop-link.ts';
import { DROP_FILES_DEFAULT } from '../../../domain/links/link-limits.ts';
import { revokedAt } from '../../../domain/links/revoked-at.ts';
import type { DropLinkState } from '../../../ports/index-calls/drop-link-calls.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import {
  apiRoute,
  changeRoute,
  deleteRoute,
  jsonResponse,
  makingRoute,
  readRoute,
} from '../../routing/api-route.ts';
import { etagOfRevision, jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { pageOf, pageQuery, readPage } from '../../routing/paging.ts';
import {
  changeDropSchema,
  dropLinkParams,
  dropLinkSchema,
  makeDropSchema,
} from '../../schemas/drop-links.ts';
import { bucketParams } from '../../schemas/object.ts';
import { futureMsOrNull } from '../../schemas/time.ts';
import { idOf } from './drop-records.ts';
import { openToDrop, openToLink } from './open-to-link.ts';
import { revokeRoute } from './revoke-route.ts';
import { changerOf } from './share-links.ts';
import { showDrop } from './show-drop.ts';

const tags = ['Links'];

export function addDropLinkRoutes(api: Api): void {
  addMaking(api);
  addReads(api);
  addChanging(api);
  addRevoking(api);
  addRelease(api);
}

const NO_LIMITS: DropSettings['limits'] = {
  fileBytes: null,
  files: DROP_FILES_DEFAULT,
  totalBytes: null,
  senderFiles: null,
  senderBytes: null,
  types: null,
};
const PLAIN_PAGE: DropSettings['page'] = {
  title: null,
  text: null,
  colour: null,
  name: 'optional',
  mail: 'none',
  note: 'none',
};

/** The members that were sent; what is absent stays as it is. */
function sentOf<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as {
    [Name in keyof Fields]: Exclude<Fields[Name], undefined>;
  };
}

function addMaking(api: Api): void {
  api.openapi(
    makingRoute({
      path: '/buckets/{bucket}/drop-links',
      operationId: 'createDropLink',
      summary: 'Let others send files into the bucket by a link',
      description:
        'Whoever has its address needs no account, and sees nothing but what he sent. Who makes ' +
        'it must be able to write there: objects:write.',
      tags,
      access: 'links:write',
      request: { params: bucketParams },
      input: makeDropSchema,
      made: dropLinkSchema,
      outcome: 'The link',
    }),
    async (c) => {
      const call = callOf(c);
      const { limits, page, expiresAt, ...rest } = c.req.valid('json');
      const bucket = await openToDrop(call, c.req.valid('param').bucket);
      const settings: DropSettings = {
        ...rest,
        limits: { ...NO_LIMITS, ...sentOf(limits) },
        page: { ...PLAIN_PAGE, ...sentOf(page) },
        expiresAtMs: futureMsOrNull(expiresAt, call.core.ports.clock.nowMs()),
        revokedAtMs: null,
      };
      const state = await createDropLink(call.core, bucket, settings, changerOf(call));
      return jsonWithEtag(c, etagOfRevision(state.link), showDrop(call, state), 201);
    },
  );
}

function addReads(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/drop-links',
      operationId: 'listDropLinks',
      summary: 'The drop links of a bucket',
      tags,
      access: 'links:read',
      request: { params: bucketParams, query: z.strictObject(pageQuery) },
      responses: { 200: jsonResponse(pageOf(dropLinkSchema), 'By id') },
    }),
    async (c) => {
      const call = callOf(c);
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'links:read');
      const page = await readPage(call, c.req.valid('query'), {
        list: `drop links ${bucket.record().id}`,
        read: (after, limit) =>
          bucket.call('listDropLinks', { after, limit, nowMs: call.core.ports.clock.nowMs() }),
        positionOf: ({ link }: DropLinkState) => link.id,
        show: (state) => showDrop(call, state),
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    readRoute({
      path: '/buckets/{bucket}/drop-links/{dropLinkId}',
      operationId: 'getDropLink',
      summary: 'A drop link, and what has come by it',
      tags,
      access: 'links:read',
      request: { params: dropLinkParams },
      item: dropLinkSchema,
      outcome: 'The link',
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, dropLinkId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'links:read');
      const state = await getDropLink(call.core, bucket, idOf(dropLinkId));
      return jsonWithEtag(c, etagOfRevision(state.link), showDrop(call, state), 200);
    },
  );
}

function addChanging(api: Api): void {
  api.openapi(
    changeRoute({
      method: 'patch',
      path: '/buckets/{bucket}/drop-links/{dropLinkId}',
      operationId: 'changeDropLink',
      summary: 'Change a drop link, revoke it, or open it again',
      description: 'Members that are absent stay; holds for what comes from then on.',
      tags,
      access: 'links:write',
      request: { params: dropLinkParams },
      change: changeDropSchema,
      changed: dropLinkSchema,
      outcome: 'The link',
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, dropLinkId } = c.req.valid('param');
      const bucket = await openToDrop(call, name);
      const id = idOf(dropLinkId);
      const nowMs = call.core.ports.clock.nowMs();
      const { limits, page, expiresAt, isRevoked, ...rest } = c.req.valid('json');
      const { link } = await getDropLink(call.core, bucket, id);
      requireMatch(c, etagOfRevision(link));
      const isExact = c.req.header('if-match')?.trim() !== '*';
      const changed = await changeDropLink(call.core, bucket, {
        id,
        revision: isExact ? link.revision : null,
        changer: changerOf(call),
        change: (old) => ({
          ...old,
          ...sentOf(rest),
          limits: { ...old.limits, ...sentOf(limits ?? {}) },
          page: { ...old.page, ...sentOf(page ?? {}) },
          expiresAtMs: expiresAt === undefined ? old.expiresAtMs : futureMsOrNull(expiresAt, nowMs),
          revokedAtMs: revokedAt(old, isRevoked, nowMs),
        }),
      });
      return jsonWithEtag(c, etagOfRevision(changed.link), showDrop(call, changed), 200);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/buckets/{bucket}/drop-links/{dropLinkId}',
      operationId: 'deleteDropLink',
      summary: 'Delete a drop link, with its senders and unfinished files; objects stay',
      tags,
      access: 'links:write',
      request: { params: dropLinkParams },
      outcome: 'It is gone',
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, dropLinkId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'links:write');
      await removeDropLink(call.core, bucket, idOf(dropLinkId), changerOf(call));
      return c.body(null, 204);
    },
  );
}

function addRevoking(api: Api): void {
  api.openapi(
    revokeRoute({
      path: '/buckets/{bucket}/drop-links/revoke',
      operationId: 'revokeDropLinks',
      summary: 'Revoke all drop links into what lies below a prefix',
    }),
    async (c) => {
      const call = callOf(c);
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'links:write');
      const { prefix } = c.req.valid('json');
      const nowMs = call.core.ports.clock.nowMs();
      const revoked: number = await bucket.call('revokeDropLinks', {
        prefix,
        changer: changerOf(call),
        nowMs,
      });
      return c.json({ revoked }, 200);
    },
  );
}

function addRelease(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/drop-links/{dropLinkId}/release',
      operationId: 'releaseDropFiles',
      summary: 'Move what waits in quarantine to where it belongs',
      description:
        'A job moves the objects that came by this link, and no others, without a byte of them, ' +
        'and overwrites nothing. Objects that you deleted before are not released. Needs ' +
        'objects:write and objects:read.',
      tags,
      access: 'links:write',
      request: { params: dropLinkParams },
      responses: {
        202: jsonResponse(z.object({ jobId: z.string() }), 'The job; GET /jobs/{jobId}'),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, dropLinkId } = c.req.valid('param');
      // What is moved gets another name, by which more may read it: as by any job that moves.
      const bucket = await openToLink(call, name, ['objects:write', 'objects:read']);
      const { link } = await getDropLink(call.core, bucket, idOf(dropLinkId));
      if (link.quarantine === null)
        throw new StorageError('InvalidRequest', { detail: 'This link has no quarantine.' });
      const { accountId, memberId, accessKeyId } = call.caller;
      const job = await startKeyJob(call.core, bucket, {
        accountId,
        via: { memberId, accessKeyId },
        task: {
          kind: 'move',
          selection: { prefix: link.quarantine, keys: null, dropLink: link.id },
          to: link.prefix,
          toBucket: null,
          conflict: 'keep-both',
        },
      });
      return c.json({ jobId: job.id as string }, 202);
    },
  );
}
