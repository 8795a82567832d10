// No route of the JSON API that changes something answers before its commit, nor as if a commit
// that failed had taken place. Driven by the API's own document: a new route that changes something
// needs an example here. Each command of an example is held and failed in its turn, in a request
// that is prepared anew. Requests have a key against repetition where they may.
import { beforeAll, expect, it } from 'vitest';
import { monthText } from '../../src/core/billing/month.ts';
import { openBucket } from '../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName } from '../../src/core/parse-names.ts';
import type { AccountId, UploadId } from '../../src/domain/nouns.ts';
import { createCommitBarrier, failEachCommand } from '../core/commit-barrier.ts';
import { key, putBytes, sampleBytes } from '../core/memory-core.ts';
import { putPart } from '../core/multipart-kit.ts';
import { createAuthenticator } from '../wire/kit/clients/authenticator.ts';
import { addSignedIn } from './api-over.ts';
import { closeBill } from './closed-bill.ts';
import { type Credential, type MemoryReply, startMemoryApi } from './memory-api.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is JSON of any shape
type Json = any;

const barrier = createCommitBarrier();
const api = await startMemoryApi(undefined, barrier.wrap);

/** What an example sends: below /-/api/v1, by the operator where it does not say by whom. */
type Sent = { readonly path: string; readonly body?: object; readonly by?: Credential };
type Example = () => Sent | Promise<Sent>;

const METHODS_OF_CHANGES = new Set(['post', 'put', 'patch', 'delete']);
/** They change nothing, whatever their method. */
const READS = new Set([
  'checkAccess',
  'checkBucketDomain',
  'lookUpInvitation',
  'presignUrls',
  'previewPublicAccess',
  'simulateInvoice',
  'testAccess',
  'previewRename',
]);
/**
 * From these on it is kept how the change ended. Where that fails it is logged, and the answer
 * stands; it is waited for.
 */
const AFTER_COMMIT = new Set(['endAudit', 'endIdempotent']);

const SITE = { rpId: 'memory.test', origin: 'https://memory.test' };
const PASSWORD = 'correct horse battery';
let count = 0;
const fresh = (kind: string) => `${kind}-${++count}`;

function request(method: string, { path, body, by }: Sent): Promise<MemoryReply> {
  const headers = {
    'content-type': 'application/json',
    // There is no state yet that If-Match could name.
    ...(/^[/](?:caps|rate-cards)[/]/.test(path) ? {} : { 'if-match': '*' }),
    ...(method === 'POST' ? { 'idempotency-key': fresh('once') } : {}),
  };
  return api.send(
    { method, path, headers, body: body === undefined ? null : JSON.stringify(body) },
    by,
  );
}

/** Prepares: what it answers must be a success. */
async function done(
  method: string,
  path: string,
  body?: object,
  by?: Credential,
): Promise<MemoryReply> {
  const reply = await request(method, {
    path,
    ...(body === undefined ? {} : { body }),
    ...(by === undefined ? {} : { by }),
  });
  expect([path, reply.status < 300, reply.json]).toEqual([path, true, reply.json]);
  return reply;
}

const cookieOf = ({ headers }: MemoryReply): Credential => ({
  cookie: (headers.get('set-cookie') ?? '').split(';')[0] ?? '',
});

const newAccount = async () =>
  (await done('POST', '/accounts', { displayName: 'x' })).json.id as string;
const newMember = async () =>
  (await done('POST', '/members', { login: fresh('login'), displayName: 'x', role: 'reader' })).json
    .id as string;
const newInvitation = async () => {
  const { json } = await done('POST', '/invitations', { displayName: 'x', role: 'reader' });
  return { id: json.id as string, secret: new URL(json.url).hash.slice(1) };
};
const newKey = async () => (await done('POST', '/access-keys', { name: 'x' })).json.id as string;
const newHook = async () =>
  (await done('POST', '/webhooks', { url: 'https://hooks.example.org/', isEnabled: true })).json
    .id as string;

/** The path of a closed invoice of a new account. */
async function newInvoicePath(action: string): Promise<string> {
  const accountId = (await newAccount()) as AccountId;
  const month = await closeBill(api.core, accountId);
  return `/invoices/${monthText(month)}/${action}?accountId=${accountId}`;
}

const handleOf = (path: string) =>
  openBucket(api.core, parseBucketName(path.slice('/buckets/'.length)), () => {});

async function newBucket(objects: readonly string[] = []): Promise<string> {
  const name = fresh('bucket');
  await done('POST', '/buckets', { name });
  const path = `/buckets/${name}`;
  for (const name of objects) await putBytes(api.core, await handleOf(path), name, sampleBytes(40));
  return path;
}

/** A drop link of a new bucket, and its own path. */
async function newDropLink(settings: object = {}): Promise<{ bucket: string; path: string }> {
  const bucket = await newBucket();
  const { json } = await done('POST', `${bucket}/drop-links`, { prefix: 'in/', ...settings });
  return { bucket, path: `${bucket}/drop-links/${json.id}` };
}

/** A bucket that a host is bound to. */
async function newSite(): Promise<string> {
  const path = await newBucket();
  await done('PATCH', path, {
    hosting: { domains: [{ host: `${fresh('site')}.example.org`, prefix: '' }] },
  });
  return path;
}

async function newVersion(): Promise<{ bucket: string; versionId: string }> {
  const bucket = await newBucket();
  await done('PATCH', bucket, { versioning: 'enabled' });
  const handle = await handleOf(bucket);
  const { versionId } = await putBytes(api.core, handle, 'k', sampleBytes(40));
  await putBytes(api.core, handle, 'k', sampleBytes(41));
  return { bucket, versionId };
}

/** A new bucket and a share link of its one object. */
async function newShareLink(): Promise<{ bucket: string; path: string }> {
  const bucket = await newBucket(['k']);
  const target = { kind: 'object', key: 'k' };
  const { json } = await done('POST', `${bucket}/share-links`, { target });
  return { bucket, path: `${bucket}/share-links/${json.id}` };
}

async function newUpload(): Promise<{ bucket: string; id: string }> {
  const bucket = await newBucket();
  return { bucket, id: (await done('POST', `${bucket}/uploads`, { key: 'k' })).json.id };
}

/** Signed in with a password, by a session cookie. Hashing takes its time: there is one of them. */
let ada: { readonly by: Credential };
beforeAll(async () => {
  const login = fresh('login');
  await done('POST', '/members', { login, displayName: 'Ada', role: 'admin', password: PASSWORD });
  ada = { by: cookieOf(await done('POST', '/sessions', { login, password: PASSWORD })) };
});

/** Somebody who is signed in with an access key, which costs nothing. */
async function newSession(): Promise<MemoryReply> {
  const { id, secretAccessKey } = (await done('POST', '/access-keys', { name: 'x' })).json;
  return done('POST', '/sessions', { accessKeyId: id, secretAccessKey });
}

const newChallenge = async (kind: 'registration' | 'authentication') =>
  (
    await done(
      'POST',
      `/passkeys/${kind}-options`,
      undefined,
      kind === 'registration' ? ada.by : undefined,
    )
  ).json.challenge as string;

async function newPasskey() {
  const phone = createAuthenticator(SITE);
  const passkey = phone.register(await newChallenge('registration'));
  await done('POST', '/passkeys', { name: 'x', passkey }, ada.by);
  return phone;
}

const newCap = async () => {
  const bucket = (await newBucket()).slice('/buckets/'.length);
  return { unit: 'bytes', limit: '1000000', bucket };
};

const CARD = {
  name: 'x',
  currency: 'USD',
  source: 'https://prices.example/',
  asOf: '2026-01-01',
  monthHours: 'calendar',
  lines: [
    {
      label: 'x',
      meters: ['class-a/STANDARD'],
      unit: { name: 'x', size: 1 },
      tiers: [{ price: '1' }],
    },
  ],
};

const policyOf = (path: string) => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:PutObject',
      Resource: `arn:aws:s3:::${path.slice('/buckets/'.length)}/*`,
    },
  ],
});

/** Examples by route; a route with several ways to its commit has one of each. */
const EXAMPLES: Readonly<Record<string, Example | readonly Example[]>> = {
  signIn: async () => {
    const phone = await newPasskey();
    return {
      path: '/sessions',
      body: { passkey: phone.authenticate(await newChallenge('authentication')) },
    };
  },
  proveSession: async () => {
    const { id, secretAccessKey } = (await done('POST', '/access-keys', { name: 'x' })).json;
    const body = { accessKeyId: id, secretAccessKey };
    return {
      path: '/sessions/current/proof',
      body,
      by: cookieOf(await done('POST', '/sessions', body)),
    };
  },
  signOutEverywhere: async () => ({ path: '/sessions', by: cookieOf(await newSession()) }),
  signOut: async () => {
    const session = await newSession();
    return { path: `/sessions/${session.json.id}`, by: cookieOf(session) };
  },
  createInvitation: () => ({ path: '/invitations', body: { displayName: 'x', role: 'reader' } }),
  deleteInvitation: async () => ({ path: `/invitations/${(await newInvitation()).id}` }),
  beginInvitedPasskey: async () => {
    const body = { secret: (await newInvitation()).secret, login: fresh('login') };
    return { path: '/invitations/registration-options', body };
  },
  acceptInvitation: async () => {
    const { secret } = await newInvitation();
    return {
      path: '/invitations/accept',
      body: { secret, login: fresh('login'), password: PASSWORD },
    };
  },
  putPreferences: () => ({ path: '/me/preferences', body: { theme: 'dark' }, by: ada.by }),
  createToken: () => ({ path: '/tokens', body: { name: 'x' } }),
  deleteToken: async () => ({
    path: `/tokens/${(await done('POST', '/tokens', { name: 'x' })).json.id}`,
  }),
  beginPasskeyRegistration: () => ({ path: '/passkeys/registration-options', by: ada.by }),
  createPasskey: async () => {
    const passkey = createAuthenticator(SITE).register(await newChallenge('registration'));
    return { path: '/passkeys', body: { name: 'x', passkey }, by: ada.by };
  },
  deletePasskey: async () => ({ path: `/passkeys/${(await newPasskey()).id}`, by: ada.by }),
  beginPasskeySignIn: () => ({ path: '/passkeys/authentication-options' }),
  createAccount: () => ({ path: '/accounts', body: { displayName: 'x' } }),
  updateAccount: async () => ({
    path: `/accounts/${await newAccount()}`,
    body: { displayName: 'y' },
  }),
  putAccountQuota: async () => ({
    path: `/accounts/${await newAccount()}/quota`,
    body: { bytes: '1000000', objects: null },
  }),
  deleteAccount: async () => ({ path: `/accounts/${await newAccount()}` }),
  createMember: [
    () => ({ path: '/members', body: { login: fresh('login'), displayName: 'x', role: 'reader' } }),
    // Others than the operator are counted, so that nobody reads off who is here.
    async () => {
      const accountId = (await newAccount()) as AccountId;
      const by = await addSignedIn(api.core, { accountId, login: fresh('login'), role: 'owner' });
      return {
        path: '/members',
        body: { login: fresh('login'), displayName: 'x', role: 'reader' },
        by,
      };
    },
  ],
  updateMember: async () => ({ path: `/members/${await newMember()}`, body: { displayName: 'y' } }),
  deleteMember: async () => ({ path: `/members/${await newMember()}` }),
  changePassword: () => ({
    path: '/me/password',
    body: { currentPassword: PASSWORD, newPassword: PASSWORD },
    by: ada.by,
  }),
  createAccessKey: () => ({ path: '/access-keys', body: { name: 'x' } }),
  updateAccessKey: async () => ({ path: `/access-keys/${await newKey()}`, body: { name: 'y' } }),
  deleteAccessKey: async () => ({ path: `/access-keys/${await newKey()}` }),
  rotateAccessKey: async () => ({
    path: `/access-keys/${await newKey()}/rotate`,
    body: { overlapSeconds: 60 },
  }),
  createBucket: () => ({ path: '/buckets', body: { name: fresh('bucket') } }),
  updateBucket: [
    async () => ({ path: await newBucket(), body: { versioning: 'enabled', tags: { a: 'b' } } }),
    async () => {
      const path = await newBucket();
      return { path, body: { policy: policyOf(path) } };
    },
    async () => ({ path: await newBucket(), body: { hosting: { cleanUrls: true } } }),
    async () => ({ path: await newSite(), body: { hosting: null } }),
    async () => {
      const rule = { id: 'r', webhookId: await newHook(), events: ['s3:ObjectCreated:*'] };
      return { path: await newBucket(), body: { notifications: [rule] } };
    },
  ],
  deleteBucket: [
    async () => ({ path: await newBucket() }),
    async () => ({ path: await newSite() }),
  ],
  openPrefix: async () => ({ path: `${await newBucket()}/public-access`, body: { prefix: 'a/' } }),
  closePrefix: async () => {
    const path = `${await newBucket()}/public-access`;
    await done('PUT', path, { prefix: 'a/' });
    return { path: `${path}?prefix=a/` };
  },
  purgeCaches: async () => ({
    path: `${await newBucket()}/cache-purges`,
    body: { everything: true },
  }),
  updateObject: async () => ({
    path: `${await newBucket(['k'])}/object?key=k`,
    body: { tags: { a: 'b' } },
  }),
  deleteObject: async () => ({ path: `${await newBucket(['k'])}/object?key=k` }),
  restoreVersion: async () => {
    const { bucket, versionId } = await newVersion();
    return { path: `${bucket}/object/restore`, body: { key: 'k', versionId } };
  },
  createZip: async () => ({ path: `${await newBucket(['k'])}/zips`, body: { keys: ['k'] } }),
  createDropLink: async () => ({
    path: `${await newBucket()}/drop-links`,
    body: { prefix: 'in/' },
  }),
  changeDropLink: async () => ({ path: (await newDropLink()).path, body: { note: 'x' } }),
  deleteDropLink: async () => ({ path: (await newDropLink()).path }),
  revokeDropLinks: async () => ({
    path: `${(await newDropLink()).bucket}/drop-links/revoke`,
    body: { prefix: '' },
  }),
  releaseDropFiles: async () => {
    const { path, bucket } = await newDropLink({ quarantine: 'wait/' });
    await putBytes(api.core, await handleOf(bucket), 'wait/a', sampleBytes(4));
    return { path: `${path}/release` };
  },
  createUpload: async () => ({ path: `${await newBucket()}/uploads`, body: { key: 'k' } }),
  completeUpload: async () => {
    const { bucket, id } = await newUpload();
    const address = { key: key('k'), uploadId: id as UploadId };
    const { partNumber, md5: etag } = await putPart(
      api.core,
      await handleOf(bucket),
      address,
      1,
      sampleBytes(40),
    );
    return {
      path: `${bucket}/uploads/${id}/complete`,
      body: { key: 'k', parts: [{ partNumber, etag }] },
    };
  },
  abortUpload: async () => {
    const { bucket, id } = await newUpload();
    return { path: `${bucket}/uploads/${id}?key=k` };
  },
  createShareLink: async () => ({
    path: `${await newBucket(['k'])}/share-links`,
    body: { target: { kind: 'object', key: 'k' } },
  }),
  revokeShareLinks: async () => {
    const { bucket } = await newShareLink();
    return { path: `${bucket}/share-links/revoke`, body: { prefix: '' } };
  },
  changeShareLink: async () => {
    const { path } = await newShareLink();
    return { path, body: { note: 'x' } };
  },
  deleteShareLink: async () => ({ path: (await newShareLink()).path }),
  addShareLinkLabel: async () => ({
    path: `${(await newShareLink()).path}/labels`,
    body: { name: 'x' },
  }),
  changeShareLinkLabel: async () => {
    const { path } = await newShareLink();
    const { json } = await done('POST', `${path}/labels`, { name: 'x' });
    return { path: `${path}/labels/${json.id}`, body: { isRevoked: true } };
  },
  startJob: async () => ({
    path: `${await newBucket(['a/k'])}/jobs`,
    body: { kind: 'move', prefix: 'a/', to: 'b/' },
  }),
  cancelJob: async () => {
    const bucket = await newBucket(['a/k']);
    const { json } = await done('POST', `${bucket}/jobs`, { kind: 'move', prefix: 'a/', to: 'b/' });
    return { path: `${bucket}/jobs/${json.id}/cancel` };
  },
  undoJob: async () => {
    const bucket = await newBucket(['a/k']);
    const { json } = await done('POST', `${bucket}/jobs`, { kind: 'move', prefix: 'a/', to: 'b/' });
    await api.core.settle();
    return { path: `${bucket}/jobs/${json.id}/undo` };
  },
  putTrashSettings: async () => ({
    path: `${await newBucket()}/trash/settings`,
    body: { days: 7 },
  }),
  putRateCard: () => {
    const id = fresh('card');
    return { path: `/rate-cards/${id}`, body: { id, ...CARD } };
  },
  setRateCard: () => ({ path: '/billing/rate-card', body: { rateCardId: 'cloudflare-r2' } }),
  confirmClock: () => ({
    path: '/clock',
    body: { now: new Date(api.core.ports.clock.nowMs()).toISOString() },
  }),
  addCredit: () => ({
    path: '/billing/credits',
    body: { label: 'x', currency: 'USD', amountMicro: '1' },
  }),
  createCreditNote: async () => ({
    path: await newInvoicePath('credit-notes'),
    body: { reason: 'x' },
  }),
  voidInvoice: async () => ({
    path: await newInvoicePath('void'),
    body: { reason: 'x', reissue: true },
  }),
  putIssuer: () => ({ path: '/billing/issuer', body: { name: fresh('issuer') } }),
  putBuyer: () => ({ path: '/billing/buyer', body: { name: fresh('buyer') } }),
  setAccountTax: () => ({ path: '/billing/tax', body: { percent: String(++count % 100) } }),
  setStripeCustomer: () => ({ path: '/billing/stripe-customer', body: { customerId: 'cus_1' } }),
  putCap: async () => ({ path: `/caps/${fresh('cap')}`, body: await newCap() }),
  deleteCap: async () => {
    const path = `/caps/${fresh('cap')}`;
    await done('PUT', path, await newCap());
    return { path };
  },
  createWebhook: () => ({ path: '/webhooks', body: { url: 'https://hooks.example.org/' } }),
  updateWebhook: async () => ({ path: `/webhooks/${await newHook()}`, body: { description: 'y' } }),
  deleteWebhook: async () => ({ path: `/webhooks/${await newHook()}` }),
  rotateWebhookSecret: async () => ({ path: `/webhooks/${await newHook()}/secret` }),
  testWebhook: async () => ({ path: `/webhooks/${await newHook()}/test` }),
  replayDeliveries: async () => ({
    path: `/webhooks/${await newHook()}/replay`,
    body: { ids: null },
  }),
  putEncryptionKey: () => ({ path: '/encryption-keys', body: { id: fresh('key') } }),
};

const operations = Object.values(api.document.paths as Json).flatMap((item) =>
  Object.entries(item as Json).map(([method, { operationId }]: [string, Json]) => ({
    method,
    name: operationId as string,
  })),
);
const changing = operations.filter(
  ({ method, name }) => METHODS_OF_CHANGES.has(method) && !READS.has(name),
);

it.each(changing)(
  '$name answers when its commit is there, and fails when it fails',
  async ({ method, name }) => {
    const example = EXAMPLES[name];
    if (example === undefined)
      throw new Error(`${name} changes something: give an example of it in this file.`);
    for (const each of typeof example === 'function' ? [example] : example) {
      await expectCommitFirst(async () => {
        const sent = await each();
        return () => request(method.toUpperCase(), sent);
      });
    }
  },
);

async function expectCommitFirst(
  prepare: () => Promise<() => Promise<MemoryReply>>,
): Promise<void> {
  const { failed, last } = await failEachCommand(barrier, prepare);
  expect([last.status < 300, last.json]).toEqual([true, last.json]);
  const ended = failed.findIndex(({ command }) => AFTER_COMMIT.has(command));
  const commits = ended < 0 ? failed : failed.slice(0, ended);
  expect(commits.length).toBeGreaterThan(0);
  expect(commits).toEqual(
    commits.map(({ command }) => ({ command, answeredBefore: false, status: 503 })),
  );
  expect(failed.filter(({ answeredBefore }) => answeredBefore)).toEqual([]);
}
