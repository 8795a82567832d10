// Who may read a card of the operator's, whose prices are agreed on with one account.
import { expect, it } from 'vitest';
import {
  findReadableCard,
  listReadableCards,
  putRateCard,
  setAccountCard,
} from '../../../src/core/billing/prices/account-card.ts';
import { rateCardJson } from '../../../src/core/billing/prices/rate-card-json.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { addAccount, createBillingCore } from './billing-core.ts';
import { card } from './billing-samples.ts';

const PAGE = { after: '', limit: 100 };

async function withOwnCard() {
  const core = createBillingCore();
  const ann = await addAccount(core, 'ann');
  const bob = await addAccount(core, 'bob');
  const own = { ...(rateCardJson(card('cloudflare-r2')) as object), id: 'own', name: 'ours' };
  await putRateCard(core, 'own', own);
  const readers = [ann, bob, ROOT_ACCOUNT];
  const seen = (id: string) =>
    Promise.all(readers.map(async (reader) => (await findReadableCard(core, reader.id, id))?.id));
  const listed = () =>
    Promise.all(
      readers.map(async ({ id }) => (await listReadableCards(core, id, PAGE)).map((one) => one.id)),
    );
  return { core, ann, seen, listed };
}

it('a card that nobody has is the operator’s alone, and shipped ones are everybody’s', async () => {
  const { seen, listed } = await withOwnCard();
  expect(await seen('own')).toEqual([undefined, undefined, 'own']);
  expect(await seen('aws-s3-us-east-1')).toEqual(
    Array.from({ length: 3 }, () => 'aws-s3-us-east-1'),
  );
  expect(await seen('none')).toEqual([undefined, undefined, undefined]);
  expect(await listed()).toEqual([[], [], ['own']]);
});

it('a card is read by whom it prices, also once it no longer does', async () => {
  const { core, ann, seen, listed } = await withOwnCard();
  await setAccountCard(core, ann.id, 'own');
  expect(await seen('own')).toEqual(['own', undefined, 'own']);
  expect(await listed()).toEqual([['own'], [], ['own']]);
  expect(await listReadableCards(core, ann.id, { after: 'own', limit: 1 })).toEqual([]);
});

it('a card that is the default is read by whoever has no other', async () => {
  const { core, ann, seen } = await withOwnCard();
  const settings = { ...core.settings, rateCardId: 'own' };
  const bobsView = async (id: string) =>
    (await findReadableCard({ ...core, settings }, 'bob' as typeof ann.id, id))?.id;
  expect(await bobsView('own')).toBe('own');
  await setAccountCard(core, 'bob' as typeof ann.id, 'aws-s3-us-east-1');
  expect(await bobsView('own')).toBeUndefined();
  expect(await seen('own')).toEqual([undefined, undefined, 'own']);
});
