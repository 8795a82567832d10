// What an account used, for charts: by hour, day or month, by bucket, key and meter, or one meter
// family of them.
import { z } from '@hono/zod-openapi';
import { toBillingUnits } from '../../../core/billing/read-usage.ts';
import type { Core } from '../../../core/core.ts';
import { isOperation, type NamedUsageSum, queryUsage } from '../../../core/metering/query-usage.ts';
import type { UsageGroup, UsageQuery } from '../../../domain/billing/usage.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { AccessKeyId, AccountId, BucketId } from '../../../domain/nouns.ts';
import { DAY_MS, HOUR_MS, startOfHour } from '../../../domain/time.ts';
import { accountOf } from '../../routing/account-of.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { quantitySchema } from '../../schemas/billing.ts';
import { accountIdQuery, bucketNameSchema, idSchema } from '../../schemas/fields.ts';
import { isoTime, isoTimeOrNull, timeSchema } from '../../schemas/time.ts';

/** Longest time of one question, days: a chart of hours has 9,000 places then. */
const DAYS_MAX = 400;
/** As many as an account can have. */
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
      .openapi({ description: 'Of a key of the account that there still is.' }),
    operation: z.string().nullable().openapi({ example: 'PutObject' }),
    meter: z.string().openapi({ example: 'class-a/STANDARD' }),
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

export function addUsageRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/usage',
      operationId: 'getUsage',
      summary: 'What an account used: storage in byte-hours, traffic in bytes, operations by class',
      tags: ['Usage'],
      access: 'usage:read',
      request: {
        query: z.strictObject({
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
                'bucket, accessKey, operation, or several with commas. By operation: how many requests of each kind there were, and nothing else; PublicRead is what was read without a signature, SignedRead what GetObject and HeadObject were answered out of memory.',
            }),
          bucket: bucketNameSchema.optional(),
          accessKeyId: idSchema.optional(),
          meter: z
            .string()
            .regex(/^[a-z-]{1,20}(\/\w{1,40})?$/)
            .optional()
            .openapi({ description: 'Only this meter, or all of its kind.', example: 'egress' }),
        }),
      },
      responses: {
        200: jsonResponse(
          z
            .object({ from: timeSchema, to: timeSchema, items: z.array(usageSchema) })
            .openapi('UsageAnswer'),
          'Sums, in the order of their times. 400 for more than 50,000 of them',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const given = c.req.valid('query');
      const accountId = accountOf(call, given.accountId);
      const nowMs = call.core.ports.clock.nowMs();
      const fromMs = startOfHour(Date.parse(given.from));
      const toMs =
        given.to === undefined ? startOfHour(nowMs) + HOUR_MS : startOfHour(Date.parse(given.to));
      if (toMs <= fromMs || toMs - fromMs > DAYS_MAX * DAY_MS) {
        throw new StorageError('InvalidInput', {
          detail: `from must be before to, at most ${DAYS_MAX} days.`,
        });
      }
      const wantedGroups = new Set(given.groupBy?.split(',') ?? []);
      const isByOperation =
        wantedGroups.delete('operation') || given.meter?.split('/')[0] === 'operation';
      const groups = [...wantedGroups] as readonly UsageGroup[];
      const groupBy: readonly UsageGroup[] = given.by === 'total' ? groups : [given.by, ...groups];
      const bucketId =
        given.bucket === undefined
          ? null
          : (await openBucketOf(call, given.bucket, 'usage:read')).record().id;
      const input: UsageQuery = {
        accountId,
        fromMs,
        toMs,
        groupBy,
        ...narrowed(bucketId, given.accessKeyId),
      };
      const sums = await queryUsage(call.core, input);
      const { meter } = given;
      const wanted = sums.filter(
        (sum) =>
          isOperation(sum.meter) === isByOperation &&
          (meter === undefined || sum.meter === meter || sum.meter.startsWith(`${meter}/`)),
      );
      const keyNames = groups.includes('accessKey')
        ? await keyNamesOf(call.core, accountId)
        : new Map<string, string>();
      return c.json(
        {
          from: isoTime(fromMs),
          to: isoTime(toMs),
          items: wanted.map((sum) => show(sum, keyNames)),
        },
        200,
      );
    },
  );
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

function narrowed(bucketId: BucketId | null, accessKeyId: string | undefined) {
  return {
    ...(bucketId === null ? {} : { bucketId }),
    ...(accessKeyId === undefined ? {} : { accessKeyId: accessKeyId as AccessKeyId }),
  };
}
