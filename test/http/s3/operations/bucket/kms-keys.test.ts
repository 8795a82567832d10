// KMS keys as the operator makes, grants and switches them by JSON; what they protect is
// test/core/encryption's.
import { expect, it } from 'vitest';
import { createTestSurface, type Sent } from '../../kit/surface.ts';

const query = { 'x-quayside-kms-keys': '' };
const ACCOUNTS = ['a'.repeat(64)];

/** Posts documents of keys as the operator; returns each response's status and key. */
function openKeys() {
  const { send } = createTestSurface();
  return async (body: object, as: Sent['as'] = 'operator') => {
    const reply = await send({ method: 'POST', path: '/', query, body: JSON.stringify(body), as });
    return { status: reply.status, text: reply.text };
  };
}

const keyOf = ({ status, text }: { readonly status: number; readonly text: string }) => {
  const { id, state, accounts } = JSON.parse(text) as Record<string, unknown>;
  return { status, id, state, accounts };
};

it('a key is made once, for nobody but the operator', async () => {
  const post = openKeys();
  const key = { id: 'backups', state: 'enabled', accounts: [] };
  expect(keyOf(await post({ id: 'backups' }))).toEqual({ status: 201, ...key });
  expect(keyOf(await post({ id: 'backups' }))).toEqual({ status: 200, ...key });
});

it.each([[ACCOUNTS], [null]])('a new key can be for %j from the start', async (accounts) => {
  const made = keyOf(await openKeys()({ id: 'backups', accounts }));
  expect(made).toEqual({ status: 201, id: 'backups', state: 'enabled', accounts });
});

it.each([
  [[], ACCOUNTS],
  [ACCOUNTS, null],
  [null, []],
])('the accounts of a key change from %j to %j, and its state stays', async (before, after) => {
  const post = openKeys();
  await post({ id: 'backups', accounts: before });
  const changed = { status: 200, id: 'backups', state: 'enabled', accounts: after };
  expect(keyOf(await post({ id: 'backups', accounts: after }))).toEqual(changed);
  // Whoever looks for the key and names no accounts takes nothing away.
  expect(keyOf(await post({ id: 'backups' }))).toEqual(changed);
});

it('the state of a key changes alone, or together with its accounts', async () => {
  const post = openKeys();
  await post({ id: 'backups', accounts: ACCOUNTS });
  const disabled = { status: 200, id: 'backups', state: 'disabled', accounts: ACCOUNTS };
  expect(keyOf(await post({ id: 'backups', state: 'disabled' }))).toEqual(disabled);
  expect(keyOf(await post({ id: 'backups', state: 'enabled', accounts: null }))).toEqual({
    ...disabled,
    state: 'enabled',
    accounts: null,
  });
});

it('a key that does not exist has no state to change', async () => {
  const reply = await openKeys()({ id: 'backups', state: 'disabled' });
  expect([reply.status, reply.text]).toEqual([
    400,
    expect.stringContaining('<Code>KMS.NotFoundException</Code>'),
  ]);
});

it.each([
  [{}],
  [{ id: 1 }],
  [{ id: 'backups', state: 'on' }],
  [{ id: 'backups', accounts: 'all' }],
  [{ id: 'backups', accounts: ['no account'] }],
  [{ id: 'backups', owner: 'me' }],
])('%j is no document of a key', async (body) => {
  const reply = await openKeys()(body);
  expect([reply.status, reply.text]).toEqual([
    400,
    expect.stringContaining('<Code>InvalidRequest</Code>'),
  ]);
});

it('keys are the business of the operator alone', async () => {
  const reply = await openKeys()({ id: 'backups' }, 'owner');
  expect([reply.status, reply.text]).toEqual([
    403,
    expect.stringContaining('<Code>AccessDenied</Code>'),
  ]);
});
