// Who bills, who buys and by what tax. What is set counts for bills that are closed from then on.
import { z } from '@hono/zod-openapi';
import { type Parties, readParties } from '../../../core/billing/invoices/terms.ts';
import { StorageError } from '../../../domain/errors.ts';
import { requireOperator } from '../../routing/access.ts';
import { billedAccountOf } from '../../routing/account-of.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { etagOfState, ifMatchHeader, requireMatch } from '../../routing/etag.ts';
import { accountIdQuery } from '../../schemas/fields.ts';
import { accountTaxSchema, issuerSchema, partySchema } from '../../schemas/parties.ts';

const TAGS = ['Prices and credits'];
const query = z.strictObject({ accountId: accountIdQuery });
const buyerSchema = z
  .object({ buyer: partySchema.nullable(), tax: accountTaxSchema })
  .openapi('Buyer');

/** The tag of both: a tax id is checked together with whose it is. */
const etagOfBuyer = ({ buyer, tax }: Pick<Parties, 'buyer' | 'tax'>) => etagOfState({ buyer, tax });

export function addBillingPartyRoutes(api: Api): void {
  addIssuerRoutes(api);
  addBuyerRoutes(api);
}

function addIssuerRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/billing/issuer',
      operationId: 'getIssuer',
      summary:
        'Read who issues the invoices of this server, with what tax, and how they are numbered',
      tags: TAGS,
      access: 'billing:read',
      responses: { 200: jsonResponse(issuerSchema, 'The issuer') },
    }),
    async (c) => {
      const call = callOf(c);
      requireOperator(call);
      const { parties } = await readParties(call.core, call.caller.accountId);
      c.header('etag', etagOfState(parties.issuer));
      return c.json(parties.issuer, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'put',
      path: '/billing/issuer',
      operationId: 'putIssuer',
      summary: 'Set who issues invoices; closed ones stay as they are',
      tags: TAGS,
      access: 'billing:write',
      request: { headers: ifMatchHeader, body: jsonBody(issuerSchema) },
      responses: { 200: jsonResponse(issuerSchema, 'The issuer') },
    }),
    async (c) => {
      const call = callOf(c);
      requireOperator(call);
      const { stored, parties } = await readParties(call.core, call.caller.accountId);
      requireMatch(c, etagOfState(parties.issuer));
      const issuer = c.req.valid('json');
      if (issuer.invoicePrefix === issuer.creditNotePrefix) {
        throw new StorageError('InvalidInput', {
          detail: 'Invoices and credit notes have a series each.',
        });
      }
      const input = { id: 'issuer', json: JSON.stringify(issuer), known: stored.issuer } as const;
      await call.core.ports.directory.call('setParty', input);
      c.header('etag', etagOfState(issuer));
      return c.json(issuer, 200);
    },
  );
}

function addBuyerRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/billing/buyer',
      operationId: 'getBuyer',
      summary: 'Read whom the invoices of an account name, and its tax',
      tags: TAGS,
      access: 'billing:read',
      request: { query },
      responses: { 200: jsonResponse(buyerSchema, 'The buyer; the ETag is for changing it') },
    }),
    async (c) => {
      const call = callOf(c);
      const { id } = await billedAccountOf(call, c.req.valid('query').accountId);
      const { buyer, tax } = (await readParties(call.core, id)).parties;
      c.header('etag', etagOfBuyer({ buyer, tax }));
      return c.json({ buyer, tax }, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'put',
      path: '/billing/buyer',
      operationId: 'putBuyer',
      summary: 'Set whom the invoices of an account name: company, address and tax id',
      tags: TAGS,
      access: 'billing:write',
      request: { query, headers: ifMatchHeader, body: jsonBody(partySchema) },
      responses: { 200: jsonResponse(buyerSchema, 'The buyer') },
    }),
    async (c) => {
      const call = callOf(c);
      const { id } = await billedAccountOf(call, c.req.valid('query').accountId);
      const { stored, parties } = await readParties(call.core, id);
      requireMatch(c, etagOfBuyer(parties));
      const buyer = c.req.valid('json');
      const input = {
        id: `buyer/${id}`,
        json: JSON.stringify(buyer),
        known: stored.buyer,
      } as const;
      await call.core.ports.directory.call('setParty', input);
      c.header('etag', etagOfBuyer({ buyer, tax: parties.tax }));
      return c.json({ buyer, tax: parties.tax }, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'put',
      path: '/billing/tax',
      operationId: 'setAccountTax',
      summary:
        'Set the tax of an account: a rate of its own, or reverse charge for a tax id that was checked',
      tags: TAGS,
      access: 'billing:write',
      request: { query, headers: ifMatchHeader, body: jsonBody(accountTaxSchema) },
      responses: { 200: jsonResponse(accountTaxSchema, 'The tax') },
    }),
    async (c) => {
      const call = callOf(c);
      requireOperator(call);
      const { id } = await billedAccountOf(call, c.req.valid('query').accountId);
      const { stored, parties } = await readParties(call.core, id);
      requireMatch(c, etagOfBuyer(parties));
      const tax = c.req.valid('json');
      const input = { id: `tax/${id}`, json: JSON.stringify(tax), known: stored.tax } as const;
      await call.core.ports.directory.call('setParty', input);
      c.header('etag', etagOfBuyer({ buyer: parties.buyer, tax }));
      return c.json(tax, 200);
    },
  );
}
