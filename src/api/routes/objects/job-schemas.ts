// Schemas of jobs over many keys: the task of a request, and the job as it is shown.
// Called by the routes of a bucket's jobs and of an account's.
import { z } from '@hono/zod-openapi';
import { TASK_MAX_KEYS } from '../../../core/key-jobs/key-tasks.ts';
import type { KeyJobSummary, KeyJobTask } from '../../../domain/key-jobs.ts';
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import { bucketNameSchema } from '../../schemas/fields.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';

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

export const taskSchema = z
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

export const stateSchema = z.enum(['running', 'done', 'cancelled', 'failed']);

/** The fields of a job, wherever it is shown. */
const jobFields = {
  id: z.string(),
  kind: z.enum(['move', 'delete', 'restore', EMPTY_TRASH, 'undo']).openapi({
    description: 'empty-trash removes what is in the trash for good: nothing brings it back.',
  }),
  prefix: z.string().nullable(),
  to: z.string().nullable(),
  toBucket: z.string().nullable(),
  undoes: z.string().nullable().openapi({ description: 'The job that an undo takes back.' }),
  state: stateSchema,
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
  startedBy: z
    .object({
      accountId: z.string(),
      memberId: z.string().nullable(),
      accessKeyId: z.string().nullable(),
    })
    .openapi({ description: 'null: no member, or no key, or nobody noted which.' }),
  startedAt: timeSchema,
  updatedAt: timeSchema,
  finishedAt: timeSchema.nullable().openapi({ description: 'null: it runs.' }),
  canUndo: z.boolean(),
  failure: z.string().nullable(),
};
export const jobSchema = z.object(jobFields).openapi('Job');
export const accountJobSchema = z
  .object({ bucket: z.string(), ...jobFields })
  .openapi('AccountJob');

/** Shows a job as the API does. */
export function showJob(job: KeyJobSummary): z.infer<typeof jobSchema> {
  const { id, kind, state, prefix, to, toBucket, undoes, counts, total, canUndo, failure } = job;
  const updatedAt = isoTime(job.updatedAtMs);
  return {
    id,
    kind: kind === 'purge' ? EMPTY_TRASH : kind,
    prefix,
    to,
    toBucket,
    undoes,
    state,
    counts: { ...counts, bytes: `${counts.bytes}` },
    total,
    startedBy: {
      accountId: job.startedBy,
      memberId: job.startedVia?.memberId ?? null,
      accessKeyId: job.startedVia?.accessKeyId ?? null,
    },
    startedAt: isoTime(job.startedAtMs),
    updatedAt,
    finishedAt: state === 'running' ? null : updatedAt,
    canUndo,
    failure,
  };
}

/** The task of a request. */
export function toTask(input: z.infer<typeof taskSchema>): KeyJobTask {
  const { prefix, keys } = input;
  const selection = { prefix, keys: keys === undefined ? null : (keys as ObjectKey[]) };
  if (input.kind === EMPTY_TRASH) return { kind: 'purge', selection };
  if (input.kind !== 'move') return { kind: input.kind, selection };

  const toBucket = (input.toBucket ?? null) as BucketName | null;
  return { kind: 'move', selection, to: input.to, toBucket, conflict: input.conflict };
}
