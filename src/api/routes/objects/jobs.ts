// Jobs over many keys: renames and moves, bulk deletions with a preview, restores
// and emptying of the trash; each with progress, cancelling and undo.
import { z } from '@hono/zod-openapi';
import { type DeletionPreview, previewDeletion } from '../../../core/key-jobs/preview-deletion.ts';
import {
  cancelKeyJob,
  findKeyJob,
  startKeyJob,
  undoKeyJob,
} from '../../../core/key-jobs/start-key-job.ts';
import { isRelocation, type KeyJob, summarizeKeyJob } from '../../../domain/keys/key-jobs.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { bucketParams, jobParams, prefixQuery } from '../../schemas/object.ts';
import { failureSchema, jobSchema, showJob, taskSchema, toTask } from './job-schemas.ts';
import { bypassQuery, mayBypass } from './object-lock.ts';

const TAGS = ['Jobs'];

const previewSchema = z
  .object({
    objects: z.number().int(),
    bytes: z.string(),
    goesToTrash: z.boolean(),
    savedPerMonthMicro: z.string().openapi({
      description: 'Millionths of the currency, for a month of storage at list price.',
      example: '1230000',
    }),
    currency: z.string(),
  })
  .openapi('DeletionPreview');

function showPreview(preview: DeletionPreview): z.infer<typeof previewSchema> {
  const { objects, bytes, keepsVersions, savedPerMonthMicro, currency } = preview;
  return {
    objects,
    bytes: `${bytes}`,
    goesToTrash: keepsVersions,
    currency,
    savedPerMonthMicro: `${savedPerMonthMicro}`,
  };
}

const show = (job: KeyJob) => showJob(summarizeKeyJob(job));

/** The starter of a job. */
function starterOf({ caller }: SignedInCall) {
  const { accountId, memberId, accessKeyId } = caller;
  return { accountId, via: { memberId, accessKeyId } };
}

/** Checks the bucket that a task puts objects into. NoSuchBucket, AccessDenied. */
async function requireTargetBucket(call: SignedInCall, task: KeyJob['task']): Promise<void> {
  if (isRelocation(task) && task.toBucket !== null)
    await openBucketOf(call, task.toBucket, 'objects:write');
}

export function addJobRoutes(api: Api): void {
  addStart(api);
  addReads(api);
  addEnds(api);
}

/** Kinds of jobs that give objects another name. */
const GIVES_NAMES: ReadonlySet<string> = new Set(['copy', 'move', 'rename']);

function addStart(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/jobs',
      operationId: 'startJob',
      summary: 'Move, copy, delete or restore many objects, or empty the trash; no byte moves',
      tags: TAGS,
      access: 'objects:write',
      request: { params: bucketParams, body: jsonBody(taskSchema) },
      responses: { 202: jsonResponse(jobSchema, 'It runs') },
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'objects:write');
      const task = toTask(call, bucket.record(), c.req.valid('json'));
      // Under another name others may read it, a public one too: who names it must be
      // allowed to read it.
      if (GIVES_NAMES.has(task.kind)) {
        await openBucketOf(call, bucket.record().name, 'objects:read');
      }
      await requireTargetBucket(call, task);
      const job = await startKeyJob(call.core, bucket, { ...starterOf(call), task });
      return c.json(show(job), 202);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/deletion-preview',
      operationId: 'previewDeletion',
      summary: 'What deleting all below a prefix would remove, and what that saves a month',
      tags: TAGS,
      access: 'objects:read',
      request: { params: bucketParams, query: z.strictObject({ prefix: prefixQuery }) },
      responses: {
        200: jsonResponse(
          z.object({
            preview: previewSchema
              .nullable()
              .openapi({ description: 'Null: the bucket is being counted, ask again.' }),
          }),
          'The preview',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const deletion = await previewDeletion(call.core, bucket, c.req.valid('query').prefix);
      return c.json({ preview: deletion === null ? null : showPreview(deletion) }, 200);
    },
  );
}

function addReads(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/jobs',
      operationId: 'listJobs',
      summary: 'The newest jobs of a bucket, at most 100',
      tags: TAGS,
      access: 'objects:read',
      request: { params: bucketParams },
      responses: {
        200: jsonResponse(
          z.object({ items: z.array(jobSchema), nextCursor: z.null() }),
          'The jobs, newest first',
        ),
      },
    }),
    async (c) => {
      const bucket = await openBucketOf(callOf(c), c.req.valid('param').bucket, 'objects:read');
      const jobs = await bucket.call('listKeyJobs', {});
      return c.json({ items: jobs.map(show), nextCursor: null }, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/jobs/{jobId}',
      operationId: 'getJob',
      summary: 'A job with its progress',
      tags: TAGS,
      access: 'objects:read',
      request: { params: jobParams },
      responses: { 200: jsonResponse(jobSchema, 'The job') },
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, jobId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'objects:read');
      return c.json(show(await findKeyJob(call.core, bucket, jobId)), 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/jobs/{jobId}/failures',
      operationId: 'listJobFailures',
      summary: 'The first 100 keys that a job left as they were, and why',
      tags: TAGS,
      access: 'objects:read',
      request: { params: jobParams },
      responses: {
        200: jsonResponse(
          z.object({ items: z.array(failureSchema) }),
          'The keys, in the order of the job',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, jobId: id } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'objects:read');
      await findKeyJob(call.core, bucket, id);
      const failures = await bucket.call('listKeyJobFailures', { id });
      const items = failures.map(({ key, reason }) => ({ key: key as string, reason }));
      return c.json({ items }, 200);
    },
  );
}

function addEnds(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/jobs/{jobId}/cancel',
      operationId: 'cancelJob',
      summary: 'End a job that runs; what it did stays, and can be undone',
      tags: TAGS,
      access: 'objects:write',
      request: { params: jobParams },
      responses: { 200: jsonResponse(jobSchema, 'It has ended') },
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, jobId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'objects:write');
      return c.json(show(await cancelKeyJob(call.core, bucket, jobId)), 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/jobs/{jobId}/undo',
      operationId: 'undoJob',
      summary: 'Take back what a job did, as far as it still is as the job left it',
      tags: TAGS,
      access: 'objects:write',
      request: { params: jobParams, query: z.strictObject({ bypassGovernance: bypassQuery }) },
      responses: { 202: jsonResponse(jobSchema, 'The job that takes it back') },
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket: name, jobId } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'objects:write');
      const { task } = await findKeyJob(call.core, bucket, jobId);
      // Somebody else may have begun the move, into a bucket that this caller has
      // nothing to do with.
      await requireTargetBucket(call, task);
      const bypassGovernance = mayBypass(call, c.req.valid('query').bypassGovernance === '1');
      const undo = { ...starterOf(call), id: jobId, bypassGovernance };
      const job = await undoKeyJob(call.core, bucket, undo);
      return c.json(show(job), 202);
    },
  );
}
