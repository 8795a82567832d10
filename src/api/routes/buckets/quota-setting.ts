// Quotas as JSON: of a bucket as one of its settings, of an account by routes of its own
// (account-quota.ts). bucket-settings.ts uses it too.
import { z } from '@hono/zod-openapi';
import type { StorageQuota } from '../../../domain/billing/quotas.ts';

const bytesSchema = z
  .string()
  .regex(/^\d{1,15}$/)
  .nullable()
  .default(null)
  .openapi({
    example: '1000000000',
    description:
      'Of current objects, older versions and parts of uploads, as clients see them. Null: no limit.',
  });
const objectsSchema = z.int().min(0).nullable().default(null).openapi({
  description: 'Current objects and older versions, not delete markers. Null: no limit.',
});

export const quotaSchema = z
  .strictObject({ bytes: bytesSchema, objects: objectsSchema })
  .openapi('StorageQuota');

/** A quota as the API shows it. */
export function showQuota({ bytes, objects }: StorageQuota): z.infer<typeof quotaSchema> {
  return { bytes: bytes === null ? null : `${bytes}`, objects };
}

/** What core takes; null: nothing is limited. */
export function toQuota(given: z.infer<typeof quotaSchema> | null): StorageQuota | null {
  if (given === null || (given.bytes === null && given.objects === null)) return null;
  return { bytes: given.bytes === null ? null : Number(given.bytes), objects: given.objects };
}
