// What a sign-in page must know before anybody has signed in. It says nothing of
// accounts, nor whether there are any.
import { z } from '@hono/zod-openapi';
import { VERSION } from '../../../ports/version.ts';
import { passkeyDomainOf, transportOf } from '../../requests/transport.ts';
import type { Api } from '../../routing/api-call.ts';
import { apiRoute, jsonResponse } from '../../routing/api-route.ts';
import { serviceOrigin } from '../../routing/service-origin.ts';
import { transportSchema } from '../../schemas/fields.ts';

const optionsSchema = z
  .object({
    transport: transportSchema,
    ways: z.array(z.enum(['passkey', 'password', 'access-key'])).openapi({
      description:
        'How to sign in at this address. Passkeys need a domain with TLS, or `localhost`. ' +
        'Empty where sign-in is refused with InsecureTransport.',
    }),
    passkeyDomain: z.string().nullable().openapi({
      description: 'The domain that passkeys are bound to here; null: there are none.',
    }),
    region: z.string(),
    s3Endpoint: z.string(),
    version: z.string(),
  })
  .openapi('SignInOptions');

export function addSignInOptionRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/sign-in-options',
      operationId: 'getSignInOptions',
      summary: 'How to sign in at this address, and where S3 is',
      tags: ['Sessions'],
      access: 'everybody',
      responses: { 200: jsonResponse(optionsSchema, 'For everybody; nothing of any account') },
    }),
    (c) => {
      const { request, region } = c.env.call;
      const transport = transportOf(request);
      const passkeyDomain = passkeyDomainOf(request);
      const passkey = passkeyDomain === null ? [] : (['passkey'] as const);
      const ways =
        transport === 'public-http' ? [] : ([...passkey, 'password', 'access-key'] as const);
      const s3Endpoint = serviceOrigin(request);
      const where = { region, s3Endpoint, version: VERSION };
      return c.json({ transport, ways: [...ways], passkeyDomain, ...where }, 200);
    },
  );
}
