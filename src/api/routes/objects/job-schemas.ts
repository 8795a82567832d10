// Schemas of jobs over many keys: the task of a request, and the job as it is shown.
// Called by the routes of a bucket's jobs and of an account's.
import { z } from '@hono/zod-openapi';
import { TASK_MAX_KEYS, TASK_MAX_PREFIXES } from '../../../core/key-jobs/key-tasks.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { KeyJobSummary, KeyJobTask, KeySelection } from '../../../domain/keys/key-jobs.ts';
import type { NamePattern } from '../../../domain/keys/name-pattern.ts';
import type { BucketName, BucketRecord, ObjectKey } from '../../../domain/nouns.ts';
import type { SignedInCall } from '../../routing/api-call.ts';
import { bucketNameSchema } from '../../schemas/fields.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';
import { attributesChangeSchema, toEdit } from './object-attributes.ts';
import { lockChangeOfMany, toEditedLock } from './object-lock.ts';

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
/** Core calls it `erase`: all versions of a bucket. */
const EMPTY = 'empty';
const prefixesSchema = z
  .array(z.string().min(1).max(1024))
  .min(1)
  .max(TASK_MAX_PREFIXES)
  .optional()
  .openapi({
    description:
      'Only keys that begin with one of these, besides those of `keys`; each begins with ' +
      '`prefix`. A folder ends with a slash, else keys that begin like its name are meant too.',
  });
const selection = { prefix: prefixSchema, keys: keysSchema, prefixes: prefixesSchema };
const relocation = {
  ...selection,
  to: z
    .string()
    .max(1024)
    .openapi({ description: 'What takes the place of the prefix in each key.' }),
  toBucket: bucketNameSchema.optional(),
  conflict: z.enum(['refuse', 'replace', 'keep-both']).default('refuse').openapi({
    description: 'Where the new name is taken: leave it, take its place, or find a numbered name.',
  }),
};

const text = z.string().max(256);
export const patternSchema = z
  .strictObject({
    find: text
      .min(1)
      .optional()
      .openapi({
        description:
          'Plain text, replaced wherever it stands in the file name. With up to nine `*` it must ' +
          'fit the whole name; each is any text.',
        example: 'IMG_*.jpeg',
      }),
    replace: text.default('').openapi({
      description: 'What takes its place; `$1` to `$9` are the texts of each `*`.',
      example: 'beach-$1.jpg',
    }),
    case: z.enum(['lower', 'upper', 'title']).optional().openapi({
      description: 'Letters of the name; its extension stays.',
    }),
    prefix: text.default(''),
    suffix: text.default('').openapi({ description: 'Stands before the extension.' }),
    counter: z
      .strictObject({
        start: z.number().int().min(0).max(1_000_000_000).default(1),
        step: z.number().int().min(1).max(1_000_000).default(1),
        width: z.number().int().min(1).max(12).default(1).openapi({
          description: 'Digits at least: zeros stand before.',
        }),
        at: z.enum(['start', 'end']).default('end'),
        separator: text.default('-'),
      })
      .optional()
      .openapi({ description: 'Numbers the objects in the order of `keys`, else by key.' }),
  })
  .openapi('NamePattern');
const conflictSchema = relocation.conflict;
export const renameFields = { ...selection, pattern: patternSchema };

export const taskSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('move'), ...relocation }),
    z.strictObject({ kind: z.literal('copy'), ...relocation }),
    z.strictObject({ kind: z.literal('rename'), ...renameFields, conflict: conflictSchema }),
    z.strictObject({
      kind: z.literal('edit'),
      ...selection,
      change: attributesChangeSchema.extend(lockChangeOfMany).openapi({
        description:
          'What is absent stays, null takes away; metadata and tags are merged. A lock is that ' +
          'of the current version, in a bucket with object lock.',
      }),
    }),
    z.strictObject({
      kind: z.literal(EMPTY),
      allVersions: z.boolean().openapi({
        description:
          'Whether every version of every key goes **for good**, and what is in the trash; ' +
          'otherwise it is a `delete` of all.',
      }),
      confirm: z.string().max(255).openapi({ description: 'The name of the bucket.' }),
    }),
    z.strictObject({ kind: z.literal('delete'), ...selection }),
    z.strictObject({ kind: z.literal('restore'), ...selection }),
    z.strictObject({ kind: z.literal(EMPTY_TRASH), ...selection }),
  ])
  .openapi('JobTask');

export const stateSchema = z.enum(['running', 'done', 'cancelled', 'failed']);

const KINDS = [
  'move',
  'copy',
  'rename',
  'edit',
  'delete',
  'restore',
  EMPTY_TRASH,
  EMPTY,
  'undo',
] as const;

/** The fields of a job, wherever it is shown. */
const jobFields = {
  id: z.string(),
  kind: z.enum(KINDS).openapi({
    description: 'empty-trash removes what is in the trash for good: nothing brings it back.',
  }),
  prefix: z.string().nullable(),
  listed: z
    .object({ keys: z.number().int(), prefixes: z.number().int() })
    .openapi({ description: 'How many it lists; none: all with the prefix, or a release.' }),
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
  totalBytes: z
    .string()
    .nullable()
    .openapi({ description: 'Their bytes, where it lists no keys and they were counted.' }),
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
export const failureSchema = z
  .object({
    key: z.string(),
    reason: z.enum(['missing', 'conflict', 'locked', 'invalid']).openapi({
      description:
        'missing: gone or changed before the job came to it; conflict: the new name is taken, or ' +
        'is none that a key can have; locked: protected by a retention or a legal hold, or a ' +
        'retention that may not be changed so; invalid: ' +
        'it would have more headers, metadata or tags than an object can.',
    }),
  })
  .openapi('JobFailure');
export const accountJobSchema = z
  .object({ bucket: z.string(), ...jobFields })
  .openapi('AccountJob');

/** Shows a job as the API does. */
export function showJob(job: KeyJobSummary): z.infer<typeof jobSchema> {
  const { id, kind, state, prefix, to, toBucket, undoes, counts, total, canUndo, failure } = job;
  const updatedAt = isoTime(job.updatedAtMs);
  return {
    id,
    kind: kind === 'purge' ? EMPTY_TRASH : kind === 'erase' ? EMPTY : kind,
    prefix,
    listed: job.listed,
    to,
    toBucket,
    undoes,
    state,
    counts: { ...counts, bytes: `${counts.bytes}` },
    total,
    totalBytes: job.totalBytes == null ? null : `${job.totalBytes}`,
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

/**
 * The task of a request about a bucket. InvalidRequest, and what toEdit and toEditedLock
 * throw.
 */
export function toTask(
  call: SignedInCall,
  record: BucketRecord,
  input: z.infer<typeof taskSchema>,
): KeyJobTask {
  if (input.kind === EMPTY) {
    if (input.confirm !== record.name)
      throw new StorageError('InvalidRequest', {
        detail: 'confirm is not the name of the bucket.',
      });
    return { kind: input.allVersions ? 'erase' : 'delete', selection: { prefix: '', keys: null } };
  }
  const selection = selectionOf(input);
  if (input.kind === 'edit') {
    const { retention, legalHold, bypassGovernance, ...attributes } = input.change;
    const lock = toEditedLock(call, record, { retention, legalHold, bypassGovernance });
    const change = { ...toEdit(attributes), ...(lock === undefined ? {} : { lock }) };
    return { kind: 'edit', selection, change };
  }
  if (input.kind === EMPTY_TRASH) return { kind: 'purge', selection };
  if (input.kind === 'rename') {
    const { kind, conflict } = input;
    return { kind, selection, pattern: toPattern(input.pattern), conflict };
  }
  if (input.kind !== 'move' && input.kind !== 'copy') return { kind: input.kind, selection };

  const { kind, to, conflict } = input;
  const toBucket = (input.toBucket ?? null) as BucketName | null;
  return { kind, selection, to, toBucket, conflict };
}

/** A pattern of a request. */
export function toPattern(pattern: z.infer<typeof patternSchema>): NamePattern {
  const { find = null, case: toCase = null, counter = null, ...texts } = pattern;
  return { ...texts, find, case: toCase, counter };
}

/** The selection of a request. */
export function selectionOf({
  prefix,
  keys,
  prefixes,
}: {
  readonly prefix: string;
  readonly keys?: readonly string[] | undefined;
  readonly prefixes?: readonly string[] | undefined;
}): KeySelection {
  return {
    prefix,
    keys: keys === undefined ? null : (keys as ObjectKey[]),
    ...(prefixes === undefined ? {} : { prefixes }),
  };
}
