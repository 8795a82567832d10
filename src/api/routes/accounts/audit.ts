// The audit log: every change of settings, accounts and keys, by this API and by
// S3, and what this API did to objects; by whom, when and from where.
import { z } from '@hono/zod-openapi';
import type { AuditEntry } from '../../../domain/account-records.ts';
import { accountOf } from '../../routing/account-of.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { listRoute } from '../../routing/api-route.ts';
import { readPage } from '../../routing/paging.ts';
import { accountIdQuery, idSchema } from '../../schemas/fields.ts';
import { isoTime, msOrNull, timeSchema } from '../../schemas/time.ts';

const entrySchema = z
  .object({
    id: idSchema,
    at: timeSchema,
    action: z.string(),
    target: z.string(),
    detail: z.string().openapi({ description: 'What was sent, without secrets.' }),
    memberId: z.string().nullable(),
    accessKeyId: z.string().nullable(),
    credential: z.string().openapi({ description: 'The session, token or access key, by its id.' }),
    source: z.string(),
    requestId: z.string(),
    status: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'null: it is not known whether it was done.' }),
  })
  .openapi('AuditEntry');

const filterQuery = {
  accountId: accountIdQuery,
  action: z.string().max(100).optional().openapi({
    description: 'An operationId of this document, or an operation of S3 like PutBucketPolicy.',
  }),
  memberId: idSchema.optional(),
  accessKeyId: idSchema.optional(),
  from: timeSchema.optional(),
  to: timeSchema.optional(),
};

function show({ atMs, accountId: _, ...entry }: AuditEntry) {
  return { ...entry, accessKeyId: entry.accessKeyId as string | null, at: isoTime(atMs) };
}

export function addAuditRoutes(api: Api): void {
  api.openapi(
    listRoute({
      path: '/audit',
      operationId: 'listAudit',
      summary: 'What was changed, by whom, when and from where',
      tags: ['Audit'],
      access: 'audit:read',
      filter: filterQuery,
      item: entrySchema,
      order: 'Newest first',
    }),
    async (c) => {
      const call = callOf(c);
      const query = c.req.valid('query');
      const accountId = accountOf(call, query.accountId);
      const filter = {
        action: query.action ?? null,
        memberId: query.memberId ?? null,
        accessKeyId: query.accessKeyId ?? null,
        fromMs: msOrNull(query.from ?? null),
        toMs: msOrNull(query.to ?? null),
      };
      const { directory } = call.core.ports;
      const page = await readPage(call, query, {
        list: `audit ${accountId} ${JSON.stringify(filter)}`,
        read: (before, limit) => directory.call('listAudit', { accountId, before, limit, filter }),
        positionOf: ({ id }) => id,
        show,
      });
      return c.json(page, 200);
    },
  );
}
