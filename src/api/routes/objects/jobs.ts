// Jobs over many keys: renames and moves, bulk deletions with a preview, restores
// and emptying of the trash; each with progress, cancelling and undo.
import { z } from '@hono/zod-openapi';
import { TASK_MAX_KEYS } from '../../../core/key-jobs/key-tasks.ts';
import { type DeletionPreview, previewDeletion } from '../../../core/key-jobs/preview-deletion.ts';
import {
  cancelKeyJob,
  findKeyJob,
  startKeyJob,
  undoKeyJob,
} from '../../../core/key-jobs/start-key-job.ts';
import type { KeyJob, KeyJobTask } from '../../../domain/key-jobs.ts';
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { bucketNameSchema } from '../../schemas/fields.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';
import { bucketParams, jobParams, prefixQuery } from './object-schemas.ts';

const TAGS = ['Jobs'];

const prefixSchema = z
  .string()
  .max(1024)
  .openapi({ description: 'What the keys begin with.', example: 'photos/2025/' });
const keysSchema = z
  .array(z.string().min(1).max(1024))
  .min(1)
  .max(TASK_MAX_KEYS)
  .optional()
  .openapi({ description: 'Only these of the keys with the prefix; absent: all.' });
/**
 * The kind that core calls `purge`, which means caches everywhere else in this API.
 */
const EMPTY_TRASH = 'empty-trash';
const selection = { prefix: prefixSchema, keys: keysSchema };

const taskSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('move'),
      ...selection,
      to: z
        .string()
        .max(1024)
        .openapi({ description: 'What takes the place of the prefix in each key.' }),
      toBucket: bucketNameSchema.optional(),
      conflict: z.enum(['refuse', 'replace', 'keep-both']).default('refuse').openapi({
        description:
          'Where the new name is taken: leave it, take its place, or find a numbered name.',
      }),
    }),
    z.strictObject({ kind: z.literal('delete'), ...selection }),
    z.strictObject({ kind: z.literal('restore'), ...selection }),
    z.strictObject({ kind: z.literal(EMPTY_TRASH), ...selection }),
  ])
  .openapi('JobTask');

const jobSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['move', 'delete', 'restore', EMPTY_TRASH, 'undo']).openapi({
      description: 'empty-trash removes what is in the trash for good: nothing brings it back.',
    }),
    prefix: z.string().nullable(),
    to: z.string().nullable(),
    toBucket: z.string().nullable(),
    undoes: z.string().nullable().openapi({ description: 'The job that an undo takes back.' }),
    state: z.enum(['running', 'done', 'cancelled', 'failed']),
    counts: z.object({
      done: z.number().int(),
      bytes: z.string(),
      missing: z.number().int(),
      conflicts: z.number().int(),
      locked: z.number().int(),
    }),
    total: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'Keys there were when it began, as far as known.' }),
    startedAt: timeSchema,
    updatedAt: timeSchema,
    canUndo: z.boolean(),
    failure: z.string().nullable(),
  })
  .openapi('Job');

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

/** A job as the API shows it. */
export function showJob(job: KeyJob): z.infer<typeof jobSchema> {
  const { id, task, state, counts, total, canUndo, failure } = job;
  return {
    id,
    kind: task.kind === 'purge' ? EMPTY_TRASH : task.kind,
    prefix: task.kind === 'undo' ? null : task.selection.prefix,
    to: task.kind === 'move' ? task.to : null,
    toBucket: task.kind === 'move' ? task.toBucket : null,
    undoes: task.kind === 'undo' ? task.jobId : null,
    state,
    counts: { ...counts, bytes: `${counts.bytes}` },
    total,
    startedAt: isoTime(job.startedAtMs),
    updatedAt: isoTime(job.updatedAtMs),
    canUndo,
    failure,
  };
}

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

function toTask(input: z.infer<typeof taskSchema>): KeyJobTask {
  const { prefix, keys } = input;
  const selection = { prefix, keys: keys === undefined ? null : (keys as ObjectKey[]) };
  if (input.kind === EMPTY_TRASH) return { kind: 'purge', selection };
  if (input.kind !== 'move') return { kind: input.kind, selection };

  const toBucket = (input.toBucket ?? null) as BucketName | null;
  return { kind: 'move', selection, to: input.to, toBucket, conflict: input.conflict };
}

/** Checks the bucket that a task moves keys into. NoSuchBucket, AccessDenied. */
async function requireTargetBucket(call: SignedInCall, task: KeyJob['task']): Promise<void> {
  if (task.kind === 'move' && task.toBucket !== null)
    await openBucketOf(call, task.toBucket, 'objects:write');
}

export function addJobRoutes(api: Api): void {
  addStart(api);
  addReads(api);
  addEnds(api);
}

function addStart(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/jobs',
      operationId: 'startJob',
      summary: 'Move, delete or restore many objects, or empty the trash, without moving a byte',
      tags: TAGS,
      access: 'objects:write',
      request: { params: bucketParams, body: jsonBody(taskSchema) },
      responses: { 202: jsonResponse(jobSchema, 'It runs') },
    }),
    async (c) => {
      const call = callOf(c);
      const task = toTask(c.req.valid('json'));
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:write');
      await requireTargetBucket(call, task);
      const job = await startKeyJob(call.core, bucket, { task, accountId: call.caller.accountId });
      return c.json(showJob(job), 202);
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
      return c.json({ items: jobs.map(showJob), nextCursor: null }, 200);
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
      return c.json(showJob(await findKeyJob(call.core, bucket, jobId)), 200);
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
      return c.json(showJob(await cancelKeyJob(call.core, bucket, jobId)), 200);
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
      request: { params: jobParams },
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
      const { accountId } = call.caller;
      const job = await undoKeyJob(call.core, bucket, { id: jobId, accountId });
      return c.json(showJob(job), 202);
    },
  );
}
