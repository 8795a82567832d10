// Who bills, who buys and by what tax. What is set counts for bills that are closed
// from then on.
import { z } from '@hono/zod-openapi';
import { type Parties, readParties } from '../../../core/billing/invoices/terms.ts';
import { StorageError } from '../../../domain/errors.ts';
import { billedAccountOf } from '../../routing/account-of.ts';
import { type Api, callOf, operatorCallOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, changeRoute, jsonResponse } from '../../routing/api-route.ts';
import { etagOfState, jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import { accountIdQuery } from '../../schemas/fields.ts';
import { accountTaxSchema, issuerSchema, partySchema } from '../../schemas/parties.ts';

const TAGS = ['Prices and credits'];
const query = z.strictObject({ accountId: accountIdQuery });
const buyerSchema = z
  .object({ buyer: partySchema.nullable(), tax: accountTaxSchema })
  .openapi('Buyer');

/** The tag of both: a tax id is checked together with whose it is. */
const etagOfBuyer = ({ buyer, tax }: Pick<Parties, 'buyer' | 'tax'>) => etagOfState({ buyer, tax });

/** Who bills and who buys, of the account that a request names. NoSuchAccount. */
async function partiesOf(call: SignedInCall, accountId: string | undefined) {
  const { id } = await billedAccountOf(call, accountId);
  return { id, ...(await readParties(call.core, id)) };
}

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
      const call = operatorCallOf(c);
      const { parties } = await readParties(call.core, call.caller.accountId);
      return jsonWithEtag(c, etagOfState(parties.issuer), parties.issuer, 200);
    },
  );

  api.openapi(
    changeRoute({
      method: 'put',
      path: '/billing/issuer',
      operationId: 'putIssuer',
      summary: 'Set who issues invoices; closed ones stay as they are',
      tags: TAGS,
      access: 'billing:write',
      request: {},
      change: issuerSchema,
      changed: issuerSchema,
      outcome: 'The issuer',
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const { stored, parties } = await readParties(call.core, call.caller.accountId);
      requireMatch(c, etagOfState(parties.issuer));
      const issuer = c.req.valid('json');
      if (issuer.invoicePrefix === issuer.creditNotePrefix) {
        throw new StorageError('InvalidInput', {
          detail: 'Invoices and credit notes have a series each.',
        });
      }
      await call.core.ports.directory.call('setParty', {
        id: 'issuer',
        json: JSON.stringify(issuer),
        known: stored.issuer,
      });
      return jsonWithEtag(c, etagOfState(issuer), issuer, 200);
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
      const { parties } = await partiesOf(call, c.req.valid('query').accountId);
      const { buyer, tax } = parties;
      return jsonWithEtag(c, etagOfBuyer(parties), { buyer, tax }, 200);
    },
  );

  api.openapi(
    changeRoute({
      method: 'put',
      path: '/billing/buyer',
      operationId: 'putBuyer',
      summary: 'Set whom the invoices of an account name: company, address and tax id',
      tags: TAGS,
      access: 'billing:write',
      request: { query },
      change: partySchema,
      changed: buyerSchema,
      outcome: 'The buyer',
    }),
    async (c) => {
      const call = callOf(c);
      const { id, stored, parties } = await partiesOf(call, c.req.valid('query').accountId);
      requireMatch(c, etagOfBuyer(parties));

      const buyer = c.req.valid('json');
      await call.core.ports.directory.call('setParty', {
        id: `buyer/${id}`,
        json: JSON.stringify(buyer),
        known: stored.buyer,
      });
      const changed = { buyer, tax: parties.tax };
      return jsonWithEtag(c, etagOfBuyer(changed), changed, 200);
    },
  );

  api.openapi(
    changeRoute({
      method: 'put',
      path: '/billing/tax',
      operationId: 'setAccountTax',
      summary:
        'Set the tax of an account: a rate of its own, ' +
        'or reverse charge for a tax id that was checked',
      tags: TAGS,
      access: 'billing:write',
      request: { query },
      change: accountTaxSchema,
      changed: accountTaxSchema,
      outcome: 'The tax',
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const { id, stored, parties } = await partiesOf(call, c.req.valid('query').accountId);
      requireMatch(c, etagOfBuyer(parties));

      const tax = c.req.valid('json');
      await call.core.ports.directory.call('setParty', {
        id: `tax/${id}`,
        json: JSON.stringify(tax),
        known: stored.tax,
      });
      return jsonWithEtag(c, etagOfBuyer({ buyer: parties.buyer, tax }), tax, 200);
    },
  );
}
