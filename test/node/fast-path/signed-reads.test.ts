// What the fast path of signed reads must respect: keys that end, objects and rights that change,
// rules that hang on the request, logs, caps and the meter. That its answers are the app's is
// differential.test.ts.
import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { createUsageMeter, type UsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { createAccessKey } from '../../../src/core/accounts/access-keys.ts';
import { setBucketAccess } from '../../../src/core/buckets/set-bucket-access.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { type MemoryCore, openTestBucket, withPorts } from '../../core/memory-core.ts';
import { signHeaders } from '../../http/s3/kit/sign-for-test.ts';
import {
  connectTo,
  createStockedCore,
  type Line,
  openTestServer,
  PUBLIC_BUCKET,
  put,
  settle,
  type TestServer,
} from './both-paths.ts';
import { ROOT_KEY } from './signed-requests.ts';

const AMZ_DATE = '20261120T000000Z';
const SETTINGS = { rootAccessKey: ROOT_KEY.id, rootSecretKey: ROOT_KEY.secret };
type Key = { readonly id: string; readonly secret: string };

let core: MemoryCore;
let meter: UsageMeter;
let door: TestServer;
let line: Line;

beforeEach(async () => {
  meter = createUsageMeter(systemClock);
  core = withPorts(await createStockedCore(), { meter });
  door = openTestServer(core, { hasFastConnections: true, settings: SETTINGS });
  line = connectTo(door);
});

/** The answer, and whether the fast path gave it. */
async function get(
  name: string,
  {
    key = ROOT_KEY,
    headers = {},
    query = '',
  }: { key?: Key; headers?: Record<string, string>; query?: string } = {},
) {
  const path = `/${PUBLIC_BUCKET}/${name}`;
  const signed = signHeaders(
    { path, query, headers: { host: 'h', ...headers } },
    { accessKeyId: key.id, secret: key.secret, amzDate: AMZ_DATE },
  );
  const lines = Object.entries(signed).map(([header, value]) => `${header}: ${value}\r\n`);
  const before = { answers: door.signedAnswers(), bytes: line.received().length };
  const target = query === '' ? path : `${path}?${query}`;
  line.client.write(`GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
  await settle([line]);
  const text = line.received().subarray(before.bytes).toString('latin1');
  return { status: Number(text.slice(9, 12)), text, isHot: door.signedAnswers() > before.answers };
}

const bucketOf = () => openTestBucket(core, PUBLIC_BUCKET);

describe('a signed read', () => {
  it('is hot once its key is known, with ranges, conditions and checksums', async () => {
    expect(await get('inline')).toMatchObject({ status: 200, isHot: false });
    const whole = await get('inline');
    expect(whole).toMatchObject({ status: 200, isHot: true });
    const etag = /etag: ("[^"]+")/.exec(whole.text)?.[1] ?? '';
    expect(await get('inline', { headers: { range: 'bytes=1-2' } })).toMatchObject({
      status: 206,
      isHot: true,
    });
    expect(await get('inline', { headers: { 'if-none-match': etag } })).toMatchObject({
      status: 304,
      isHot: true,
    });
    const checked = await get('inline', { headers: { 'x-amz-checksum-mode': 'ENABLED' } });
    expect(checked).toMatchObject({ status: 200, isHot: true });
    const ids = /x-amz-id-2: (\w+)\r\nx-amz-request-id: (\w+)/.exec(whole.text);
    expect(ids?.[1]).toBe(ids?.[2]);
  });

  it.each([
    ['x-id=GetObject', true],
    ['response-content-type=text%2Fplain', true],
    ['response-content-type=%C3%A9', false],
    ['response-content-type=a%80', false],
    ['x-id=HeadObject', false],
    ['acl=GetObject', false],
    ['unknown=GetObject', false],
    ['x-id=', false],
  ])('is hot with a query that is known, and with no other: %s', async (query, isHot) => {
    await get('inline');
    expect((await get('inline', { query })).isHot).toBe(isHot);
  });

  it('of Signature Version 2 is hot too, and only with its own signature', async () => {
    const path = `/${PUBLIC_BUCKET}/inline`;
    const expires = Date.UTC(2026, 10, 20) / 1000 + 60;
    const signature = createHmac('sha1', ROOT_KEY.secret)
      .update(`GET\n\n\n${expires}\n${path}`)
      .digest('base64');
    const visit = async (query: string) => {
      const before = { answers: door.signedAnswers(), bytes: line.received().length };
      line.client.write(
        `GET ${path}?AWSAccessKeyId=${ROOT_KEY.id}&${query} HTTP/1.1\r\nHost: h\r\n\r\n`,
      );
      await settle([line]);
      const status = Number(line.received().subarray(before.bytes).toString('latin1').slice(9, 12));
      return { status, isHot: door.signedAnswers() > before.answers };
    };
    const right = `Signature=${encodeURIComponent(signature)}&Expires=${expires}`;
    await get('inline');
    expect(await visit(right)).toEqual({ status: 200, isHot: true });
    expect(await visit(`Signature=x&Expires=${expires}`)).toEqual({ status: 403, isHot: false });
    expect(await visit(`${right}&versionId=null`)).toEqual({ status: 403, isHot: false });
    expect(await visit(right.replace(`${expires}`, `${expires - 120}`))).toEqual({
      status: 403,
      isHot: false,
    });
  });

  it('shows every write to the next reader', async () => {
    await get('a/b.txt');
    const etag = await put(core, PUBLIC_BUCKET, 'a/b.txt', 12);
    expect((await get('a/b.txt')).text).toContain(`etag: "${etag}"`);
    const bucket = await bucketOf();
    await bucket.call('deleteObjects', {
      targets: [
        { key: 'a/b.txt' as never, versionId: null, condition: null, markerId: 'x' as never },
      ],
      bypassGovernance: false,
      nowMs: core.ports.clock.nowMs(),
    } as never);
    expect(await get('a/b.txt')).toMatchObject({ status: 404, isHot: false });
  });

  it('ends with its key, in the very next request', async () => {
    const owner = { role: 'owner', scopes: null, endsAtMs: null } as const;
    const wanted = {
      accountId: ROOT_ACCOUNT.id,
      name: 'n',
      scope: null,
      expiresAtMs: null,
      maker: owner,
    };
    const { key, secret } = await createAccessKey(core, wanted);
    await get('inline', { key: { id: key.id, secret } });
    expect(await get('inline', { key: { id: key.id, secret } })).toMatchObject({
      status: 200,
      isHot: true,
    });
    await core.ports.directory.call('removeAccessKey', { accountId: ROOT_ACCOUNT.id, id: key.id });
    expect(await get('inline', { key: { id: key.id, secret } })).toMatchObject({
      status: 403,
      isHot: false,
    });
  });

  it('is refused with a wrong signature, and outside of its time', async () => {
    await get('inline');
    expect(await get('inline', { key: { ...ROOT_KEY, secret: 'wrong' } })).toMatchObject({
      status: 403,
      isHot: false,
    });
    expect(await get('inline')).toMatchObject({ status: 200, isHot: true });
    core.advanceSeconds(15 * 60 + 1);
    expect(await get('inline')).toMatchObject({ status: 403, isHot: false });
  });

  it("is the other door's to decide where a policy looks at the request", async () => {
    await get('inline');
    const Statement = [
      {
        Effect: 'Deny',
        Principal: '*',
        Action: 's3:GetObject',
        Resource: `arn:aws:s3:::${PUBLIC_BUCKET}/inl*`,
        Condition: { StringEquals: { 'aws:UserAgent': 'shy' } },
      },
    ];
    await setBucketAccess(await bucketOf(), {
      policyJson: JSON.stringify({ Version: '2012-10-17', Statement }),
    });
    expect(await get('inline', { headers: { 'user-agent': 'bold' } })).toMatchObject({
      status: 200,
      isHot: false,
    });
    expect(await get('inline', { headers: { 'user-agent': 'shy' } })).toMatchObject({
      status: 403,
      isHot: false,
    });
    await get('big');
    expect(await get('big', { headers: { 'user-agent': 'shy' } })).toMatchObject({ status: 200 });
  });

  it.each([
    ['logged', { logging: { targetBucket: 'private', targetPrefix: '', grants: [] } }],
    ['capped', { isCapped: true }],
    ['one that shows receipts', { receipts: 'owner' }],
  ])("of a bucket that is %s is the other door's", async (_name, settings) => {
    await get('inline');
    expect(await get('inline')).toMatchObject({ isHot: true });
    await setBucketSettings(core, await bucketOf(), settings as never);
    expect(await get('inline')).toMatchObject({ isHot: false });
  });

  it("that wants a receipt is the other door's", async () => {
    await get('inline');
    expect(await get('inline', { headers: { 'x-quayside-receipt': '1' } })).toMatchObject({
      isHot: false,
    });
  });

  it('is metered by either door alike', async () => {
    const { id } = (await bucketOf()).record();
    const used = async (headers: Record<string, string> = {}) => {
      const before = meter.ofBucket(id) ?? { operations: { A: 0, B: 0, free: 0 }, bytesOut: {} };
      const { isHot } = await get('inline', { headers });
      const after = meter.ofBucket(id);
      return {
        isHot,
        classB: (after?.operations.B ?? 0) - before.operations.B,
        free: (after?.operations.free ?? 0) - before.operations.free,
        memory:
          (after?.bytesOut.memory ?? 0) - ((before.bytesOut as Record<string, number>).memory ?? 0),
      };
    };
    expect(await used()).toEqual({ isHot: false, classB: 1, free: 0, memory: 10 });
    expect(await used()).toEqual({ isHot: true, classB: 1, free: 0, memory: 10 });
    expect(await used({ range: 'bytes=0-3' })).toEqual({
      isHot: true,
      classB: 1,
      free: 0,
      memory: 4,
    });
    expect(await used({ 'if-none-match': '*' })).toEqual({
      isHot: true,
      classB: 0,
      free: 1,
      memory: 0,
    });
    const [drained] = meter.drain(() => true).filter(({ owner }) => owner.bucketId === id);
    expect(drained?.owner.accessKeyId).toBe(ROOT_KEY.id);
  });
});
