// The requests of an operator who works in another account: each that can name an account does.
import { beforeAll, expect, it, vi } from 'vitest';
import { readOpenApiDocument } from '../../../src/api/app.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';

type Operation = { parameters?: { name: string; in: string }[] };

const document: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  readOpenApiDocument(),
);
const takesAccount = ({ parameters = [] }: Operation) =>
  parameters.some(({ name, in: place }) => name === 'accountId' && place === 'query');

let withAccount: (address: string, accountId: string) => string;
let operatorId: string;

// The modules of the page read its address and listen to its events.
beforeAll(async () => {
  vi.stubGlobal('location', { origin: 'https://quayside.test', pathname: '/-/console/' });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('navigator', { language: 'en' });
  ({ withAccount } = await import('../../../src/console/views/operator/account.ts'));
  ({ OPERATOR_ID: operatorId } = await import('../../../src/console/app/session.ts'));
  return () => vi.unstubAllGlobals();
});

it('8: an account is named on all routes that take one, and on no other', () => {
  const wrong = Object.entries(document.paths).filter(([route, operations]) => {
    const path = `/-/api/v1${route.replaceAll(/\{\w+\}/g, 'x1')}`;
    const isNamed = withAccount(path, 'other') !== path;
    return isNamed !== Object.values(operations).some(takesAccount);
  });
  expect(wrong.map(([route]) => route)).toEqual([]);
  expect(Object.keys(document.paths).length).toBeGreaterThan(50);
});

it('8: the account stands beside what else was asked', () => {
  expect(withAccount('https://a.test/-/api/v1/buckets?limit=5', 'b/1')).toBe(
    'https://a.test/-/api/v1/buckets?limit=5&accountId=b%2F1',
  );
});

it('8: the operator is whom the server takes for it', () => {
  expect(operatorId).toBe(ROOT_ACCOUNT.id);
});
