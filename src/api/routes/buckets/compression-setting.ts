// Compression at rest as a setting of a bucket: its schema, and the way from and to
// core's type. bucket-settings.ts uses it.
import { z } from '@hono/zod-openapi';
import type { BucketSettings } from '../../../domain/bucket-settings.ts';

/** Ten years, in days. */
const AFTER_MAX_DAYS = 3650;

export const compressionSchema = z
  .strictObject({
    afterDays: z.number().int().min(1).max(AFTER_MAX_DAYS).openapi({
      description:
        'Days after it was written that a body is compressed, if it shrinks by a tenth at least.',
    }),
  })
  .openapi('BucketCompression');

/** The setting as the API shows it; null: off. */
export function showCompression({
  compression,
}: BucketSettings): z.infer<typeof compressionSchema> | null {
  return compression === null ? null : { afterDays: compression.afterDays };
}

/**
 * The setting as core takes it; `nowMs` is when it was put, so that it counts for
 * all bodies.
 */
export function toCompression(
  setting: z.infer<typeof compressionSchema> | null,
  nowMs: number,
): BucketSettings['compression'] {
  return setting === null ? null : { afterDays: setting.afterDays, setAtMs: nowMs };
}
