// Locks of many objects by a job of the JSON API: who may override a retention, at the start and
// at the undo, and which changes are none.
import { beforeAll, expect, it } from 'vitest';
import { createMemoryCore } from '../../core/memory-core.ts';
import { addSignedIn, apiOver } from '../api-over.ts';
import type { Credential } from '../memory-api.ts';

const core = createMemoryCore();
const api = apiOver(core);
const JOBS = '/buckets/locks-of-many/jobs';
let admin: Credential;
let member: Credential;

const until = (ms: number) => new Date(core.ports.clock.nowMs() + ms).toISOString();
const HOUR_MS = 3_600_000;
const edit = (change: object) => ({ kind: 'edit', prefix: '', change });

beforeAll(async () => {
  admin = await addSignedIn(core, { login: 'admin', role: 'admin' });
  member = await addSignedIn(core, { login: 'member', role: 'member' });
  const by = admin;
  for (const name of ['locks-of-many', 'without-lock'])
    await api.send('POST', '/buckets', { by, body: { name }, ifMatch: null });
  const body = { versioning: 'enabled', objectLock: {} };
  expect(await api.outcome('PATCH', '/buckets/locks-of-many', { by, body })).toBe(200);
});

it.each<[string, () => object, string | number]>([
  ['a legal hold', () => ({ legalHold: true }), 202],
  ['a retention', () => ({ retention: { mode: 'COMPLIANCE', until: until(HOUR_MS) } }), 202],
  ['none any more', () => ({ retention: null }), 202],
  ['nothing', () => ({}), 'InvalidRequest'],
  ['a bypass of nothing', () => ({ bypassGovernance: true }), 'InvalidRequest'],
  ['half a retention', () => ({ retention: { mode: 'GOVERNANCE' } }), 'InvalidInput'],
  ['a past one', () => ({ retention: { mode: 'GOVERNANCE', until: until(0) } }), 'InvalidInput'],
  ['an unknown mode', () => ({ retention: { mode: 'X', until: until(HOUR_MS) } }), 'InvalidInput'],
])('a job that sets %s is taken or refused', async (_, change, expected) => {
  expect(await api.outcome('POST', JOBS, { by: admin, body: edit(change()) })).toBe(expected);
  await core.settle();
});

it('a lock of many is refused in a bucket without object lock, other changes are not', async () => {
  const start = (change: object) =>
    api.outcome('POST', '/buckets/without-lock/jobs', { by: admin, body: edit(change) });
  expect(await start({ legalHold: true })).toBe('InvalidRequest');
  expect(await start({ retention: null })).toBe('InvalidRequest');
  expect(await start({ tags: { a: 'b' } })).toBe(202);
  await core.settle();
});

it('a lock of many overrides retention only for owners and admins, start and undo', async () => {
  const body = edit({ retention: null, bypassGovernance: true });
  expect(await api.outcome('POST', JOBS, { by: member, body })).toBe('AccessDenied');
  expect(await api.outcome('POST', JOBS, { by: admin, body })).toBe(202);
  await core.settle();

  const held = { by: member, body: edit({ legalHold: true }) };
  const { json, status } = await api.send('POST', JOBS, held);
  expect(status).toBe(202);
  await core.settle();
  const undo = `${JOBS}/${json.id}/undo`;
  const asked = `${undo}?bypassGovernance=1`;
  expect(await api.outcome('POST', asked, { by: member })).toBe('AccessDenied');
  expect(await api.outcome('POST', asked, { by: admin })).toBe(202);
  expect(await api.outcome('POST', undo, { by: member })).toBe(202);
  await core.settle();
});
