// The jobs over many keys of all buckets of an account, newest first.
import { listAccountJobs } from '../../../core/key-jobs/list-account-jobs.ts';
import { accountOf } from '../../routing/account-of.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { listRoute } from '../../routing/api-route.ts';
import { readPage } from '../../routing/paging.ts';
import { accountIdQuery } from '../../schemas/fields.ts';
import { accountJobSchema, showJob, stateSchema } from './job-schemas.ts';

export function addAccountJobRoutes(api: Api): void {
  api.openapi(
    listRoute({
      path: '/jobs',
      operationId: 'listAccountJobs',
      summary: 'The newest jobs of all buckets, at most 1,000',
      tags: ['Jobs'],
      access: 'objects:read',
      filter: { accountId: accountIdQuery, state: stateSchema.optional() },
      item: accountJobSchema,
      order: 'Newest first; a job that ended meanwhile may be missing from a page of running ones',
    }),
    async (c) => {
      const call = callOf(c);
      const { accountId: named, state = null, ...query } = c.req.valid('query');
      const accountId = accountOf(call, named);
      const page = await readPage(call, query, {
        list: `jobs ${accountId} ${state}`,
        read: (before, limit) => listAccountJobs(call.core, { accountId, before, limit, state }),
        positionOf: ({ id }) => id,
        show: ({ listed }) => listed && { bucket: listed.bucket.name, ...showJob(listed.job) },
      });
      return c.json({ ...page, items: page.items.filter((item) => item !== null) }, 200);
    },
  );
}
