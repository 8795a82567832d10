// The audit log: every change of settings, accounts and keys, by this API and by S3, and what this
// API did to objects; by whom, when and from where.
import { z } from '@hono/zod-openapi';
import type { AuditEntry } from '../../../domain/account-records.ts';
import { accountOf } from '../../routing/account-of.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonResponse } from '../../routing/api-route.ts';
import { pageOf, pageQuery, readCursor, toPage } from '../../routing/paging.ts';
import { accountIdQuery, idSchema } from '../../schemas/fields.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';

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

const query = z.strictObject({
  ...pageQuery,
  accountId: accountIdQuery,
  action: z.string().max(100).optional().openapi({
    description: 'An operationId of this document, or an operation of S3 like PutBucketPolicy.',
  }),
  memberId: idSchema.optional(),
  accessKeyId: idSchema.optional(),
  from: timeSchema.optional(),
  to: timeSchema.optional(),
});

function show({ atMs, accountId: _, ...entry }: AuditEntry) {
  return { ...entry, accessKeyId: entry.accessKeyId as string | null, at: isoTime(atMs) };
}

export function addAuditRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/audit',
      operationId: 'listAudit',
      summary: 'What was changed, by whom, when and from where',
      tags: ['Audit'],
      access: 'audit:read',
      request: { query },
      responses: { 200: jsonResponse(pageOf(entrySchema), 'Newest first') },
    }),
    async (c) => {
      const call = callOf(c);
      const {
        limit,
        cursor,
        accountId: given,
        action = null,
        memberId = null,
        ...rest
      } = c.req.valid('query');
      const accountId = accountOf(call, given);
      const times = [rest.from, rest.to].map((time) =>
        time === undefined ? null : Date.parse(time),
      );
      const [fromMs = null, toMs = null] = times;
      const filter = { action, memberId, accessKeyId: rest.accessKeyId ?? null, fromMs, toMs };
      const list = `audit ${accountId} ${JSON.stringify(filter)}`;
      const before = readCursor(call.secrets, list, cursor);
      const found = await call.core.ports.directory.call('listAudit', {
        accountId,
        before,
        limit: limit + 1,
        filter,
      });
      return c.json(
        toPage(found, { limit, list, secrets: call.secrets }, ({ id }) => id, show),
        200,
      );
    },
  );
}
