import { describe, expect, it } from 'vitest';
import type { BucketId } from '../../../../../src/domain/nouns.ts';
import { publicPolicy } from '../../../../access-samples.ts';
import { readZip } from '../../../../wire/kit/read-zip.ts';
import { drainedRows } from '../../kit/drained-rows.ts';
import { codeOf } from '../../kit/responses.ts';
import { createTestSurface, type Sent, type TestSurface } from '../../kit/surface.ts';

const CRC_OF_HELLO = 'NhCmhg==';

async function stocked(): Promise<TestSurface> {
  const surface = createTestSurface();
  await surface.send({ method: 'PUT', path: '/bkt' });
  const put = (path: string, body: string, headers: Record<string, string> = {}) =>
    surface.send({ method: 'PUT', path, body, headers });
  await put('/bkt/f/a.txt', 'hello', { 'x-amz-checksum-crc32': CRC_OF_HELLO });
  await put('/bkt/f/sub/large', 'more than stands in a row'.repeat(10), {});
  await put('/bkt/f/', '');
  await put('/bkt/f/empty/', '');
  await put('/bkt/fx', 'beside');
  return surface;
}

const zip = (surface: TestSurface, sent: Partial<Sent> = {}) =>
  surface.send({ path: '/bkt/f/', query: { zip: '' }, ...sent });

describe('a ZIP of a folder', () => {
  it('has a name that a disk takes', async () => {
    const surface = await stocked();
    const named = await zip(surface, { query: { zip: 'all.zip' } });
    expect(named.headers['content-disposition']).toBe('attachment; filename="all.zip"');
    const reply = await zip(surface, { query: { zip: 'x'.repeat(256) } });
    expect([reply.status, reply.text]).toEqual([
      400,
      expect.stringContaining('<ArgumentName>zip</ArgumentName>'),
    ]);
  });

  it('holds what is below it, with names from there on', async () => {
    const surface = await stocked();
    const reply = await zip(surface);
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="f.zip"',
      'content-length': `${reply.bytes.length}`,
      'cache-control': 'private, no-store',
      'accept-ranges': 'none',
    });
    const files = readZip(Buffer.from(reply.bytes));
    expect(files.map(({ name, bytes }) => [name, bytes.length])).toEqual([
      ['a.txt', 5],
      ['empty/', 0],
      ['sub/large', 250],
    ]);
    // What stands in the row, or was stored with its CRC, can be read in one pass.
    expect(files.map(({ isKnownAhead }) => isKnownAhead)).toEqual([true, true, false]);
  });

  it('is refused where the policy takes too long for so many objects', async () => {
    const surface = await stocked();
    for (let i = 0; i < 15; i++)
      await surface.send({ method: 'PUT', path: `/bkt/f/${i}`, body: 'x' });
    const likes = Array.from({ length: 3000 }, () => '*b*');
    const statement = {
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: 'arn:aws:s3:::bkt/*',
    };
    const policy = {
      Statement: [{ ...statement, Condition: { StringLike: { 'aws:UserAgent': likes } } }],
    };
    const sent = {
      method: 'PUT',
      path: '/bkt',
      query: { policy: '' },
      body: JSON.stringify(policy),
    };
    expect((await surface.send(sent)).status).toBe(204);
    const agent = (length: number) => ({ headers: { 'user-agent': 'a'.repeat(length) } });
    expect((await zip(surface, agent(100))).status).toBe(200);
    expect(codeOf(await zip(surface, agent(600)))).toEqual([503, 'SlowDown']);
    const one = await zip(surface, { path: '/bkt/f/sub/', ...agent(600) });
    expect(one.status).toBe(200);
  });

  it('is of a folder, whether a slash was written or not', async () => {
    const surface = await stocked();
    const files = readZip(Buffer.from((await zip(surface, { path: '/bkt/f' })).bytes));
    expect(files.map(({ name }) => name)).toEqual(['a.txt', 'empty/', 'sub/large']);
  });

  it('can be of the whole bucket, and have another name', async () => {
    const surface = await stocked();
    const whole = await zip(surface, { path: '/bkt' });
    expect(whole.headers['content-disposition']).toBe('attachment; filename="bkt.zip"');
    expect(readZip(Buffer.from(whole.bytes)).map(({ name }) => name)).toContain('f/a.txt');
    const named = await zip(surface, { query: { zip: 'Ü.zip' } });
    expect(named.headers['content-disposition']).toBe(
      `attachment; filename="_.zip"; filename*=UTF-8''%C3%9C.zip`,
    );
  });

  it('tells its length to HEAD', async () => {
    const surface = await stocked();
    const head = await zip(surface, { method: 'HEAD' });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe((await zip(surface)).headers['content-length']);
  });

  it('is for those who may list and read', async () => {
    const surface = await stocked();
    for (const as of ['nobody', 'stranger'] as const)
      expect((await zip(surface, { as })).status).toBe(403);
    await surface.send({
      method: 'PUT',
      path: '/bkt',
      query: { acl: '' },
      headers: { 'x-amz-acl': 'public-read' },
    });
    for (const as of ['nobody', 'stranger'] as const)
      expect((await zip(surface, { as })).status).toBe(403);
    await surface.send({
      method: 'PUT',
      path: '/bkt',
      query: { policy: '' },
      body: publicPolicy('bkt'),
    });
    for (const as of ['nobody', 'stranger'] as const)
      expect((await zip(surface, { as })).status).toBe(200);
  });

  it('is refused where there is nothing, or too much', async () => {
    const surface = await stocked();
    const none = await zip(surface, { path: '/bkt/nothing' });
    expect([none.status, none.text]).toEqual([404, expect.stringContaining('<Key>nothing/</Key>')]);
    expect((await zip(surface, { path: '/none' })).status).toBe(404);
    for (let n = 0; n <= 20; n++) await surface.send({ method: 'PUT', path: `/bkt/many/${n}` });
    const many = await zip(surface, { path: '/bkt/many' });
    expect([many.status, many.text]).toEqual([
      400,
      expect.stringContaining('more than 20 objects'),
    ]);
    // The refused ones hold no place.
    for (let n = 0; n < 20; n++) await zip(surface, { path: '/bkt/many' });
    expect((await zip(surface)).status).toBe(200);
  });

  it('counts each object as a read', async () => {
    const surface = await stocked();
    const record = await surface.core.ports.metadataIndex.call('bkt' as never, 'getBucket', {
      name: 'bkt' as never,
    });
    const count = () => surface.meter.ofBucket(record?.id as BucketId);
    const before = structuredClone(count());
    const { bytes } = await zip(surface);
    const after = count();
    expect((after?.operations.A ?? 0) - (before?.operations.A ?? 0)).toBe(1);
    // One of the three entries is empty, and nothing has to be opened for it.
    expect((after?.operations.B ?? 0) - (before?.operations.B ?? 0)).toBe(2);
    expect((after?.bytesOut.bucket ?? 0) - (before?.bytesOut.bucket ?? 0)).toBe(bytes.length);
  });

  it('counts each object by its own class, with what is retrieved of it', async () => {
    const surface = await stocked();
    const cold = { 'x-amz-storage-class': 'STANDARD_IA' };
    const body = 'more than stands in a row'.repeat(10);
    await surface.send({ method: 'PUT', path: '/bkt/f/sub/cold', body, headers: cold });
    await surface.send({ method: 'PUT', path: '/bkt/f/sub/cold-in-row', body: 'x', headers: cold });
    drainedRows(surface);
    await zip(surface);
    const plain = drainedRows(surface);
    expect(plain).toMatchObject({
      'class-a/STANDARD': 1n,
      'class-b/STANDARD': 2n,
      'class-b/STANDARD_IA': 2n,
      'retrieval/STANDARD_IA': BigInt(body.length),
    });
    const { 'x-quayside-receipt': receipt } = (
      await zip(surface, { query: { zip: '', receipt: '1' } })
    ).headers;
    expect(receipt).toContain(`retrieval/STANDARD_IA;n=${body.length}`);
    expect(receipt).toContain('class-b/STANDARD_IA;n=2');
  });
});
