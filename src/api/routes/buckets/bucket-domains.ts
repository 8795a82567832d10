// The hosts of a bucket: whether requests for them come to it, and the DNS record
// by which the account proves that a host is its own. Setting `hosting` binds them;
// nothing here does.
import { z } from '@hono/zod-openapi';
import { HOST_MAX_LENGTH, hostNameOf, isBindableHost } from '../../../core/hosting/host-names.ts';
import {
  type HostRecord,
  hostRecordOf,
  isHostProven,
  needsHostProof,
  requireMayBindHosts,
} from '../../../core/hosting/host-proof.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { bucketParams } from '../../schemas/object.ts';

const recordSchema = z
  .object({
    name: z.string().openapi({ example: '_quayside.www.shop.example' }),
    type: z.literal('TXT'),
    value: z.string().openapi({ example: 'quayside-account=5d41402abc4b2a76b9719d911017c592' }),
  })
  .nullable()
  .openapi({
    description: 'What must stand in DNS before the host is bound to the bucket; null: nothing.',
  });
const isBoundSchema = z.boolean().openapi({
  description:
    'Whether a request here for the host comes to this bucket. ' +
    'false: setting `hosting` again binds it.',
});
const domainSchema = z
  .object({
    host: z.string(),
    prefix: z
      .string()
      .openapi({ description: 'The host shows only keys that begin with it, without it.' }),
    isBound: isBoundSchema,
    record: recordSchema,
  })
  .openapi('BucketDomain');
const checkSchema = z.strictObject({ host: z.string().min(1).max(HOST_MAX_LENGTH) });
const checkedSchema = z
  .object({
    host: z.string(),
    isBound: isBoundSchema,
    record: recordSchema,
    isProven: z
      .boolean()
      .openapi({ description: 'Whether the record is there now, or none is needed.' }),
  })
  .openapi('CheckedDomain');
const hostSchema = z.string().nullable();
const domainsSchema = z.object({
  items: z
    .array(domainSchema)
    .openapi({ description: 'The hosts in the settings of the bucket; at most 20.' }),
  bucketHost: hostSchema.openapi({
    description: 'Where S3 has the bucket as a host of the service; null: nowhere.',
  }),
  websiteHost: hostSchema.openapi({
    description: "Its website on the service's own domain; null: there is none.",
  }),
});

export function addBucketDomainRoutes(api: Api): void {
  addList(api);
  addCheck(api);
}

function addList(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/domains',
      operationId: 'listBucketDomains',
      summary: 'The hosts of a bucket, and whether each is bound to it',
      description:
        'Nothing is looked up in DNS: neither the record, nor whether the host leads here.',
      tags: ['Buckets'],
      access: 'buckets:read',
      request: { params: bucketParams },
      responses: { 200: jsonResponse(domainsSchema, 'In the order of the settings') },
    }),
    async (c) => {
      const call = callOf(c);
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'buckets:read');
      const { name, settings } = bucket.record();
      const items = await Promise.all(
        (settings.hosting?.domains ?? []).map(async ({ host, prefix }) => ({
          host,
          prefix,
          isBound: await isBoundTo(call, bucket.record(), host),
          record: neededRecord(call, bucket.record(), host),
        })),
      );
      const hostBelow = (domain: string | null) => (domain === null ? null : `${name}.${domain}`);
      const bucketHost = hostBelow(call.baseDomain);
      const websiteHost = hostBelow(call.websiteDomain);
      return c.json({ items, bucketHost, websiteHost }, 200);
    },
  );
}

function addCheck(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/domains/check',
      operationId: 'checkBucketDomain',
      summary: 'The record of DNS that lets a host be bound to the bucket, and whether it is there',
      description:
        'Asks DNS now; servers of DNS may remember for minutes that there was no record. ' +
        'Binds nothing.',
      tags: ['Buckets'],
      access: 'buckets:write',
      isReadOnly: true,
      request: { params: bucketParams, body: jsonBody(checkSchema) },
      responses: { 200: jsonResponse(checkedSchema, 'What was found') },
    }),
    async (c) => {
      const call = callOf(c);
      const { host } = c.req.valid('json');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'buckets:write');
      requireMayBindHosts(call.core, bucket.record().ownerId);
      // The host of this request serves the API; bound to a bucket it would serve
      // that alone.
      const ownHosts = [...call.core.settings.ownHosts, hostNameOf(call.request.host)];
      if (!isBindableHost(host, ownHosts)) {
        const detail = 'The host must be a domain name in lower case that is not of this service.';
        throw new StorageError('InvalidInput', { detail });
      }
      const record = neededRecord(call, bucket.record(), host);
      const isBound = await isBoundTo(call, bucket.record(), host);
      const isProven = record === null || (await isHostProven(call.core, record));
      return c.json({ host, isBound, record, isProven }, 200);
    },
  );
}

async function isBoundTo(
  { core }: SignedInCall,
  { id }: BucketRecord,
  host: string,
): Promise<boolean> {
  const binding = await core.ports.directory.call('getHost', { host });
  return binding?.bucketId === id;
}

function neededRecord(
  { core }: SignedInCall,
  { ownerId }: BucketRecord,
  host: string,
): HostRecord | null {
  return needsHostProof(core, ownerId) ? hostRecordOf(host, ownerId) : null;
}
