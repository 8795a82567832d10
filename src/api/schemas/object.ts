// Schemas of routes about objects, jobs and the trash.
import { z } from '@hono/zod-openapi';
import { KEY_MAX_BYTES } from '../../core/limits.ts';
import { timeSchema } from './time.ts';

export const bucketParams = z.strictObject({ bucket: z.string().min(1).max(255) });
export const jobParams = z.strictObject({
  bucket: z.string().min(1).max(255),
  jobId: z.string().regex(/^[0-9a-z]{1,64}$/),
});

export const keySchema = z
  .string()
  .min(1)
  .max(KEY_MAX_BYTES)
  .refine(
    (key) => key.isWellFormed() && new TextEncoder().encode(key).length <= KEY_MAX_BYTES,
    'no key of an object',
  )
  .openapi({ example: 'photos/2025/beach.jpg' });
export const versionIdSchema = z
  .string()
  .regex(/^(?:null|[0-9a-z]{27,28})$/)
  .openapi({ description: '`null` is the version from before the bucket kept any.' });

/** The name of a file that a browser saves. */
export const fileNameSchema = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u);

/** The beginning of keys; every key begins with ''. */
export const prefixQuery = z.string().max(1024).default('');

export const objectSchema = z
  .object({
    key: z.string(),
    size: z.string().openapi({ description: 'Bytes.', example: '1048576' }),
    etag: z.string(),
    lastModified: timeSchema,
    storageClass: z.string(),
  })
  .openapi('ObjectSummary');

/** Whether a list that is not sorted by name has everything. */
export const isCompleteSchema = z.boolean().openapi({
  description: 'Whether all there is took part; otherwise narrow the prefix or the text.',
});
