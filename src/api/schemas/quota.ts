// Quotas as JSON: of a bucket as one of its settings, of an account by routes of
// its own (account-quota.ts). bucket-settings.ts uses it too.
import { z } from '@hono/zod-openapi';
import type { StorageQuota } from '../../domain/billing/quotas.ts';

const bytesSchema = z
  .string()
  .regex(/^\d{1,15}$/)
  .nullable()
  .default(null)
  .openapi({
    example: '1000000000',
    description:
      'Limit on current objects, older versions and parts of uploads, as clients see them. ' +
      'Null: no limit.',
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

/** A quota as core takes it; null: nothing is limited. */
export function toQuota(quota: z.infer<typeof quotaSchema> | null): StorageQuota | null {
  if (quota === null || (quota.bytes === null && quota.objects === null)) return null;
  return { bytes: quota.bytes === null ? null : Number(quota.bytes), objects: quota.objects };
}
