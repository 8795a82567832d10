// Schemas of answers about who may do what, and how they are shown.
import { z } from '@hono/zod-openapi';
import type { AccessReason } from '../../../core/auth/access-check/access-reason.ts';
import type { AccessFinding } from '../../../core/auth/access-check/check-access.ts';
import { ACCESS_VERBS } from '../../../core/auth/access-check/who-may.ts';
import { roleSchema } from '../../schemas/fields.ts';

export const verbSchema = z.enum(ACCESS_VERBS);

export const reasonSchema = z
  .discriminatedUnion('source', [
    z.object({ source: z.literal('owner') }),
    z.object({ source: z.literal('object-owner'), accountId: z.string() }),
    z.object({
      source: z.literal('bucket-policy'),
      effect: z.enum(['Allow', 'Deny']),
      statement: z
        .number()
        .int()
        .nullable()
        .openapi({ description: 'Its number, from 1. Null: the policy can not be read.' }),
      sid: z.string().nullable(),
      text: z
        .string()
        .nullable()
        .openapi({ description: 'The statement as JSON. Null, as sid: it needs buckets:read.' }),
    }),
    z.object({
      source: z.literal('acl'),
      list: z.enum(['bucket', 'object']),
      grantee: z.string(),
      permission: z.string(),
    }),
    z.object({ source: z.literal('key-scope'), limit: z.string() }),
    z.object({ source: z.literal('key-state'), state: z.enum(['disabled', 'expired']) }),
    z.object({ source: z.literal('role'), role: roleSchema, scope: z.string() }),
    z.object({ source: z.literal('block-public-access'), setting: z.string() }),
    z.object({ source: z.literal('nothing') }),
  ])
  .openapi('AccessReason', {
    description: 'The line that a decision rests on; `nothing`: none says yes.',
  });

export const findingFields = {
  allowed: z.enum(['yes', 'part', 'depends', 'no']).openapi({
    description: '`part`: of some keys below the prefix; `depends`: on `dependsOn`.',
  }),
  because: reasonSchema,
  example: z.string().nullable().openapi({
    description: 'A key or prefix below that `because` is about; null: keys in general.',
  }),
  except: z
    .object({ because: reasonSchema, example: z.string().nullable() })
    .nullable()
    .openapi({ description: 'Where it is `part` or `depends`: what is not allowed.' }),
  dependsOn: z.array(z.string()).openapi({
    description: 'Condition keys that the question leaves open; `object-acl`: lists of objects.',
  }),
};

export const findingSchema = z.object(findingFields).openapi('AccessFinding');

export const needsSchema = z
  .object({
    kind: z.enum(['customer-key', 'kms-key']),
    keyId: z.string().nullable(),
    isEnabled: z.boolean().openapi({ description: 'Whether the KMS key can be used.' }),
  })
  .openapi('ReadNeeds', { description: 'What reading the object needs besides permission.' });

/** What a policy says is for who may read the policy itself. */
const showReason = (reason: AccessReason, seesPolicy: boolean): z.infer<typeof reasonSchema> =>
  reason.source === 'bucket-policy' && !seesPolicy
    ? { ...reason, sid: null, text: null }
    : { ...reason };

/** A finding as the API shows it; `seesPolicy`: to who may read the bucket's policy. */
export function showFinding(
  { because, example, except, allowed, dependsOn }: AccessFinding,
  seesPolicy: boolean,
) {
  return {
    allowed,
    because: showReason(because, seesPolicy),
    example,
    except: except && {
      because: showReason(except.because, seesPolicy),
      example: except.example,
    },
    dependsOn: [...dependsOn],
  };
}
