// The usage of an account, for charts: by hour, day or month, by bucket, key and
// meter, or by one family of meters.
import { z } from '@hono/zod-openapi';
import { toBillingUnits } from '../../../core/billing/read-usage.ts';
import type { Core } from '../../../core/core.ts';
import { isOperation, type NamedUsageSum, queryUsage } from '../../../core/metering/query-usage.ts';
import type { UsageGroup, UsageQuery } from '../../../domain/billing/usage.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { AccessKeyId, AccountId } from '../../../domain/nouns.ts';
import { DAY_MS, HOUR_MS, startOfHour } from '../../../domain/time.ts';
import { accountOf } from '../../routing/account-of.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { quantitySchema } from '../../schemas/billing.ts';
import { accountIdQuery, bucketNameSchema, idSchema } from '../../schemas/fields.ts';
import { isoTime, isoTimeOrNull, timeSchema } from '../../schemas/time.ts';

/** Longest time of one request, days: a chart of hours then has 9,600 points. */
const DAYS_MAX = 400;
/** Most keys that an account can have. */
const KEYS_MAX = 1000;

const usageSchema = z
  .object({
    time: timeSchema
      .nullable()
      .openapi({ description: 'Start of the hour, day or month; null: of the whole time.' }),
    bucket: z.string().nullable(),
    accessKeyId: z.string().nullable(),
    accessKeyName: z
      .string()
      .nullable()
      .openapi({ description: 'Name of the key; null where the account has it no more.' }),
    operation: z.string().nullable().openapi({ example: 'PutObject' }),
    meter: z.string().openapi({
      description:
        'Kind, and class, tier or what is counted. errors/4xx: requests of the account itself ' +
        'that were refused; those of strangers are free/blocked. errors/5xx: requests of anybody ' +
        'that the server failed.',
      example: 'class-a/STANDARD',
    }),
    quantity: quantitySchema,
  })
  .openapi('Usage');

const show = (
  { timeMs, bucket, accessKeyId, meter, quantity }: NamedUsageSum,
  keyNames: ReadonlyMap<string, string>,
): z.infer<typeof usageSchema> => ({
  time: isoTimeOrNull(timeMs),
  bucket,
  accessKeyId,
  accessKeyName: keyNames.get(accessKeyId ?? '') ?? null,
  operation: isOperation(meter) ? meter.slice(meter.indexOf('/') + 1) : null,
  meter,
  quantity: String(toBillingUnits(meter, quantity)),
});

const usageQuery = z.strictObject({
  accountId: accountIdQuery,
  from: timeSchema.openapi({ description: 'The hour that it is in is the first.' }),
  to: timeSchema
    .optional()
    .openapi({ description: 'The hour that it is in is left out; absent: now.' }),
  by: z.enum(['hour', 'day', 'month', 'total']).default('day'),
  groupBy: z
    .string()
    .regex(/^(bucket|accessKey|operation)(,(bucket|accessKey|operation)){0,2}$/)
    .optional()
    .openapi({
      description:
        'bucket, accessKey, operation, or several with commas. ' +
        'By operation: how many requests of each kind there were, and nothing else; ' +
        'PublicRead is what was read without a signature, ' +
        'SignedRead what GetObject and HeadObject were answered out of memory.',
    }),
  bucket: bucketNameSchema.optional(),
  accessKeyId: idSchema.optional(),
  meter: z
    .string()
    .regex(/^[a-z-]{1,20}(\/\w{1,40})?$/)
    .optional()
    .openapi({ description: 'Only this meter, or all of its kind.', example: 'egress' }),
});
const usagePageSchema = z
  .object({ from: timeSchema, to: timeSchema, items: z.array(usageSchema) })
  .openapi('UsageAnswer');

type Query = z.infer<typeof usageQuery>;

export function addUsageRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/usage',
      operationId: 'getUsage',
      summary: 'What an account used: storage in byte-hours, traffic in bytes, operations by class',
      tags: ['Usage'],
      access: 'usage:read',
      request: { query: usageQuery },
      responses: {
        200: jsonResponse(
          usagePageSchema,
          'Sums, in the order of their times. 400 for more than 50,000 of them',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const query = c.req.valid('query');
      const accountId = accountOf(call, query.accountId);
      const { fromMs, toMs } = hoursOf(query, call.core.ports.clock.nowMs());
      const { groups, isByOperation } = groupsOf(query);

      const sums = await queryUsage(call.core, {
        accountId,
        fromMs,
        toMs,
        groupBy: query.by === 'total' ? groups : [query.by, ...groups],
        ...(await narrowed(call, query)),
      });
      const shownSums = sums.filter(
        ({ meter }) => isOperation(meter) === isByOperation && isOfMeter(meter, query.meter),
      );

      const keyNames = groups.includes('accessKey')
        ? await keyNamesOf(call.core, accountId)
        : new Map<string, string>();
      const items = shownSums.map((sum) => show(sum, keyNames));
      return c.json({ from: isoTime(fromMs), to: isoTime(toMs), items }, 200);
    },
  );
}

/** The whole hours of a query. InvalidInput for none, and for too many. */
function hoursOf({ from, to }: Query, nowMs: number): { fromMs: number; toMs: number } {
  const fromMs = startOfHour(Date.parse(from));
  const toMs = to === undefined ? startOfHour(nowMs) + HOUR_MS : startOfHour(Date.parse(to));
  if (toMs <= fromMs || toMs - fromMs > DAYS_MAX * DAY_MS) {
    throw new StorageError('InvalidInput', {
      detail: `from must be before to, at most ${DAYS_MAX} days.`,
    });
  }
  return { fromMs, toMs };
}

/**
 * The groups of a query. Operations are meters of their own, so the ledger has no
 * such group.
 */
function groupsOf({ groupBy, meter }: Query) {
  const names = new Set(groupBy?.split(',') ?? []);
  const isByOperation = names.delete('operation') || meter?.split('/')[0] === 'operation';
  return { groups: [...names] as readonly UsageGroup[], isByOperation };
}

/**
 * Whether a meter is the requested one, or of its kind; any is without a request.
 */
function isOfMeter(meter: string, requested: string | undefined): boolean {
  return requested === undefined || meter === requested || meter.startsWith(`${requested}/`);
}

/**
 * The one bucket or key of a query, if it names any. NoSuchBucket, AccessDenied.
 */
async function narrowed(
  call: SignedInCall,
  { bucket: name, accessKeyId }: Query,
): Promise<Pick<UsageQuery, 'bucketId' | 'accessKeyId'>> {
  const bucket = name === undefined ? null : await openBucketOf(call, name, 'usage:read');
  return {
    ...(bucket === null ? {} : { bucketId: bucket.record().id }),
    ...(accessKeyId === undefined ? {} : { accessKeyId: accessKeyId as AccessKeyId }),
  };
}

/** Names of an account's own keys. */
async function keyNamesOf(core: Core, accountId: AccountId): Promise<ReadonlyMap<string, string>> {
  const keys = await core.ports.directory.call('listAccessKeys', {
    accountId,
    after: '',
    limit: KEYS_MAX,
  });
  return new Map(keys.map(({ id, name }) => [id as string, name]));
}
