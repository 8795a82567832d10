// Making a prefix of a bucket public: what it would mean, doing it, taking it back.
// The statements stand in the bucket's policy, each with a Sid of its own, so that
// exactly these are taken away again.
import { z } from '@hono/zod-openapi';
import { ACTION_OF_VERB, type AccessVerb } from '../../../core/auth/access-check/who-may.ts';
import { mayDo } from '../../../core/auth/permissions.ts';
import { formatMicro } from '../../../core/billing/decimal.ts';
import {
  closePrefix,
  type Opening,
  openPrefix,
  planOpening,
  previewOpening,
  WORST_BYTES_PER_SECOND,
  WORST_DAYS,
  type WorstCase,
} from '../../../core/buckets/public-access.ts';
import {
  PUBLIC_KINDS,
  type PublicKind,
  publicStatements,
} from '../../../core/buckets/public-statements.ts';
import { listCaps } from '../../../core/caps/set-cap.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import {
  apiRoute,
  changeRoute,
  deleteRoute,
  jsonBody,
  jsonResponse,
} from '../../routing/api-route.ts';
import { jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { publicUrlOf } from '../../routing/public-url.ts';
import { bucketParams, prefixQuery } from '../../schemas/object.ts';
import { capSchema, showCap } from '../billing/caps.ts';
import { openInquiry, requireDecided } from './access-inquiry.ts';
import { findingSchema, showFinding } from './access-schemas.ts';
import { bucketEtag } from './bucket-settings.ts';

const TAGS = ['Access'];

const openingSchema = z
  .strictObject({
    prefix: prefixQuery,
    what: z.enum(PUBLIC_KINDS).default('read').openapi({
      description: 'Whether strangers may also list the names below the prefix.',
    }),
  })
  .openapi('PublicAccess');
const statementSchema = z
  .object({
    Sid: z.string(),
    Effect: z.literal('Allow'),
    Principal: z.literal('*'),
    Action: z.string(),
    Resource: z.string(),
    Condition: z
      .object({ StringLike: z.object({ 's3:prefix': z.string() }) })
      .optional()
      .openapi({ description: 'Only names below the prefix can be listed.' }),
  })
  .openapi('PublicStatement');
const statementsSchema = z
  .array(statementSchema)
  .openapi({ description: 'The statements that are added to the policy of the bucket.' });
const liftedSchema = z
  .array(z.enum(['blockPublicPolicy', 'restrictPublicBuckets']))
  .openapi({ description: 'Switches of publicAccessBlock that go off, since they would stop it.' });

const worstCaseSchema = z
  .object({
    bytes: z.string(),
    requests: z.string(),
    costMicro: z.string().openapi({ description: 'Millionths of the currency.' }),
    currency: z.string(),
    rateCardId: z.string(),
    bytesPerSecond: z.int(),
    days: z.int(),
    reckoning: z.string().openapi({ description: 'How it is reckoned, as a sentence.' }),
  })
  .openapi('WorstCase', { description: 'What strangers may cost in a month without a cap.' });
const previewSchema = z
  .object({
    statements: statementsSchema,
    lifted: liftedSchema,
    reads: findingSchema.openapi({ description: 'What strangers could read then.' }),
    lists: findingSchema.openapi({ description: 'What strangers could list then.' }),
    objects: z.int().nullable().openapi({ description: 'Null: being counted, ask again.' }),
    bytes: z.string().nullable(),
    urls: z.array(z.string()).openapi({ description: 'Up to five that would work.' }),
    internalNames: z
      .array(z.string())
      .openapi({ description: 'Keys that look as if nobody meant to show them; at most 20.' }),
    isScanComplete: z
      .boolean()
      .openapi({ description: 'False: only the first 10,000 names were looked at.' }),
    worstCase: worstCaseSchema,
    caps: z
      .array(capSchema)
      .nullable()
      .openapi({ description: 'Caps that hold for it; null: you may not see caps.' }),
  })
  .openapi('PublicAccessPreview');
const openedSchema = z
  .object({
    prefix: z.string(),
    what: z.enum(PUBLIC_KINDS),
    statements: statementsSchema,
    lifted: liftedSchema,
  })
  .openapi('OpenedPrefix');

export function addPublicAccessRoutes(api: Api): void {
  addPreview(api);
  addOpening(api);
}

function addPreview(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/public-access-preview',
      operationId: 'previewPublicAccess',
      summary: 'What making a prefix public would open, and what it may cost at worst',
      description: 'Nothing is changed. Names are looked at up to the first 10,000.',
      tags: TAGS,
      access: 'objects:read',
      isReadOnly: true,
      request: { params: bucketParams, body: jsonBody(openingSchema) },
      responses: { 200: jsonResponse(previewSchema, 'What would be so') },
    }),
    async (c) => {
      const call = callOf(c);
      const { prefix, what } = c.req.valid('json');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const record = bucket.record();
      const opening = planOpening(record, prefix, what);
      const preview = await previewOpening(call.core, bucket, prefix, opening);
      const { size, samples, internalNames, isScanComplete, worstCase } = preview;
      return c.json(
        {
          statements: showStatements(record, prefix, what),
          lifted: [...opening.lifted],
          ...strangersAfter(call, record, opening, prefix),
          objects: size?.objects ?? null,
          bytes: size === null ? null : `${size.bytes}`,
          urls: samples.map(({ key }) => publicUrlOf(call, record, key)),
          internalNames: [...internalNames],
          isScanComplete,
          worstCase: showWorstCase(worstCase),
          caps: await capsOn(call, record),
        },
        200,
      );
    },
  );
}

function showStatements(
  { name }: BucketRecord,
  prefix: string,
  what: PublicKind,
): z.infer<typeof statementSchema>[] {
  return publicStatements(name, prefix, what).map((statement) => ({ ...statement }));
}

/** What strangers could read and list below the prefix, decided on what will be. */
function strangersAfter(
  call: SignedInCall,
  record: BucketRecord,
  { after }: Opening,
  prefix: string,
) {
  const request = {
    sourceIp: undefined,
    referer: undefined,
    nowMs: call.core.ports.clock.nowMs(),
    region: call.region,
  };
  const inquiry = openInquiry({ ...record, access: after }, { kind: 'prefix', prefix }, request);
  const seesPolicy = mayDo(call.caller, 'buckets:read', record.ownerId);
  const ask = (verb: AccessVerb) =>
    showFinding(
      inquiry.checker.check({ kind: 'anonymous' }, null, ACTION_OF_VERB[verb]),
      seesPolicy,
    );
  const findings = { reads: ask('read'), lists: ask('list') };
  requireDecided(inquiry);
  return findings;
}

function showWorstCase({ bytes, requests, costMicro, card }: WorstCase) {
  const gigabits = (WORST_BYTES_PER_SECOND * 8) / 1e9;
  return {
    bytes: `${bytes}`,
    requests: `${requests}`,
    costMicro: `${costMicro}`,
    currency: card.currency,
    rateCardId: card.id,
    bytesPerSecond: WORST_BYTES_PER_SECOND,
    days: WORST_DAYS,
    reckoning:
      `One client that reads at ${gigabits} Gbit/s for ${WORST_DAYS} days takes ${bytes} bytes ` +
      `in ${requests} requests; by the card ${card.name} that is ` +
      `${formatMicro(costMicro)} ${card.currency}, with its free allowances.`,
  };
}

/** The caps of the account and of the bucket; null: the caller may not see caps. */
async function capsOn(call: SignedInCall, { id, ownerId }: BucketRecord) {
  if (!mayDo(call.caller, 'caps:read', ownerId)) return null;
  const caps = await listCaps(call.core, ownerId);
  return caps
    .filter(({ cap: { scope } }) =>
      scope.kind === 'bucket' ? scope.bucketId === id : scope.kind === 'account',
    )
    .map(showCap);
}

function addOpening(api: Api): void {
  api.openapi(
    changeRoute({
      method: 'put',
      path: '/buckets/{bucket}/public-access',
      operationId: 'openPrefix',
      summary: 'Let strangers read a prefix, by a statement of the bucket policy',
      description:
        'If-Match names the ETag of the bucket. What of publicAccessBlock would stop it goes ' +
        'off; `lifted` names it. A Deny of the policy still wins: see the preview.',
      tags: TAGS,
      access: 'buckets:write',
      request: { params: bucketParams },
      change: openingSchema,
      changed: openedSchema,
      outcome: 'Opened; the ETag is of the bucket',
    }),
    async (c) => {
      const call = callOf(c);
      const { prefix, what } = c.req.valid('json');
      const name = c.req.valid('param').bucket;
      let isChanged = false;
      const bucket = await openBucketOf(call, name, 'buckets:write', (record) => {
        if (!isChanged) requireMatch(c, bucketEtag(record));
      });
      const { lifted } = await openPrefix(bucket, prefix, what);
      isChanged = true;
      const changed = await openBucketOf(call, name, 'buckets:write');
      const statements = showStatements(changed.record(), prefix, what);
      const opened = { prefix, what, statements, lifted: [...lifted] };
      return jsonWithEtag(c, bucketEtag(changed.record()), opened, 200);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/buckets/{bucket}/public-access',
      operationId: 'closePrefix',
      summary: 'Take back exactly the statements that opened a prefix',
      description: 'Other statements stay, and so does publicAccessBlock as it is now.',
      tags: TAGS,
      access: 'buckets:write',
      request: { params: bucketParams, query: z.strictObject({ prefix: prefixQuery }) },
      outcome: 'Taken back',
    }),
    async (c) => {
      const call = callOf(c);
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'buckets:write');
      await closePrefix(bucket, c.req.valid('query').prefix);
      return c.body(null, 204);
    },
  );
}
