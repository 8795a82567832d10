// The hosts of a bucket, and whether requests for them come to it here. What the names' DNS says is not looked up.
import { z } from '@hono/zod-openapi';
import { type Api, apiRoute, callOf, jsonAnswer, openBucketOf } from '../context.ts';
import { bucketParams } from './object-schemas.ts';

const domainSchema = z
  .object({
    host: z.string(),
    prefix: z.string().openapi({ description: 'The host shows only keys that begin with it, without it.' }),
    isBound: z.boolean().openapi({
      description: 'Whether a request here for the host comes to this bucket. false: setting `hosting` again binds it.',
    }),
  })
  .openapi('BucketDomain');
const hostSchema = z.string().nullable();
const domainsSchema = z.object({
  items: z.array(domainSchema).openapi({ description: 'The hosts in the settings of the bucket; at most 20.' }),
  bucketHost: hostSchema.openapi({ description: 'Where S3 has the bucket as a host of the service; null: nowhere.' }),
  websiteHost: hostSchema.openapi({ description: "Its website on the service's own domain; null: there is none." }),
});

export function addBucketDomainRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/domains',
      operationId: 'listBucketDomains',
      summary: 'The hosts of a bucket, and whether each is bound to it',
      description: 'Whether the DNS of a host leads here, and whether there is a certificate for it, is not looked up.',
      tags: ['Buckets'],
      access: 'buckets:read',
      request: { params: bucketParams },
      responses: { 200: jsonAnswer(domainsSchema, 'In the order of the settings') },
    }),
    async (c) => {
      const call = callOf(c);
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'buckets:read');
      const { id, name, settings } = bucket.record();
      const { directory } = call.core.ports;
      const items = await Promise.all(
        (settings.hosting?.domains ?? []).map(async ({ host, prefix }) => {
          const bound = await directory.call('getHost', { host });
          return { host, prefix, isBound: bound?.bucketId === id };
        }),
      );
      const below = (domain: string | null) => (domain === null ? null : `${name}.${domain}`);
      return c.json({ items, bucketHost: below(call.baseDomain), websiteHost: below(call.websiteDomain) }, 200);
    },
  );
}
