// A folder as one ZIP file: what is in it, for whom, and that it is right whatever happens while it
// is on its way.

import type { IncomingMessage } from 'node:http';
import { DeleteObjectCommand, PutBucketAclCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { newAccount, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { requestOf } from '../kit/clients/transport.ts';
import { expectError } from '../kit/clients/xml.ts';
import { readZip } from '../kit/read-zip.ts';

const { s3, send, anonymous, presigned, target } = client;

const MiB = 1024 * 1024;
const ZIP = { zip: '' };

/** Starts a download and gives the answer before its body. */
function start(path: string): Promise<IncomingMessage> {
  const { hostname, port } = new URL(target.url);
  return new Promise((resolve, reject) => {
    requestOf(target.url)(
      { hostname, port, path, agent: false, headers: { host: client.host } },
      resolve,
    )
      .on('error', reject)
      .end();
  });
}

async function rest(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describeCore('a ZIP of a folder', () => {
  const Bucket = useBucket(client);
  const objects = new Map<string, Buffer>([
    ['photos/a.jpg', sampleBytes(300_000, 1)],
    ['photos/sub folder/ü 日本 😀.txt', sampleBytes(10, 2)],
    ['photos/large.bin', sampleBytes(9 * MiB + 3, 3)],
    ['photos/empty', Buffer.alloc(0)],
    ['photos/inline', sampleBytes(16_000, 4)],
    ['photos/slice', sampleBytes(MiB, 5)],
    ['photosynthesis', sampleBytes(10, 6)],
  ]);

  beforeAll(async () => {
    for (const [Key, Body] of objects) await s3.send(new PutObjectCommand({ Bucket, Key, Body }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'photos/nothing in it/', Body: '' }));
  });

  it('holds everything below it', async () => {
    const reply = await send({ method: 'GET', bucket: Bucket, key: 'photos/', query: ZIP });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="photos.zip"',
      'content-length': `${reply.body.length}`,
    });
    const files = readZip(reply.body);
    const wanted = [...objects]
      .filter(([key]) => key.startsWith('photos/'))
      .map(([key]) => key.slice(7));
    expect(files.map(({ name }) => name)).toEqual([...wanted, 'nothing in it/'].toSorted());
    for (const { name, bytes, lastModifiedSeconds } of files) {
      expect(bytes.equals(objects.get(`photos/${name}`) ?? Buffer.alloc(0)), name).toBe(true);
      expect(Math.abs(lastModifiedSeconds - Date.now() / 1000)).toBeLessThan(3600);
    }
  });

  it('tells its length beforehand, and is for a link too', async () => {
    const head = await send({ method: 'HEAD', bucket: Bucket, key: 'photos', query: ZIP });
    const link = presigned({
      method: 'GET',
      bucket: Bucket,
      key: 'photos',
      query: { zip: 'Ferien.zip' },
    });
    const answer = await start(link);
    expect(answer.headers['content-disposition']).toBe('attachment; filename="Ferien.zip"');
    expect((await rest(answer)).length).toBe(Number(head.headers['content-length']));
  });

  it('is refused to strangers, and where nothing is', async () => {
    expectError(
      await anonymous({ method: 'GET', bucket: Bucket, key: 'photos/', query: ZIP }),
      403,
      'AccessDenied',
    );
    expectError(
      await send({ method: 'GET', bucket: Bucket, key: 'none/', query: ZIP }),
      404,
      'NoSuchKey',
    );
  });

  it('stays what it was when it began, whatever is overwritten or deleted meanwhile', async () => {
    const keys = Array.from({ length: 24 }, (_, n) => `busy/${String(n).padStart(2, '0')}`);
    const bodyOf = (n: number) => sampleBytes(n % 3 === 0 ? 2_000 : MiB, 100 + n);
    for (const [n, Key] of keys.entries())
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: bodyOf(n) }));
    const answer = await start(
      presigned({ method: 'GET', bucket: Bucket, key: 'busy/', query: ZIP }),
    );
    for (const [n, Key] of keys.entries()) {
      if (n % 2 === 0) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
      else await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'something else' }));
    }
    const files = readZip(await rest(answer));
    expect(files.map(({ name }) => `busy/${name}`)).toEqual(keys);
    for (const [n, { bytes }] of files.entries())
      expect(bytes.equals(bodyOf(n)), keys[n]).toBe(true);
  });

  it('frees what it holds when clients leave', async () => {
    // On Node more than may be under way at once; elsewhere nobody may tell the server at once that
    // a client left.
    const leave = async () => {
      const answer = await start(
        presigned({ method: 'GET', bucket: Bucket, key: 'photos/', query: ZIP }),
      );
      answer.destroy();
      return answer.statusCode;
    };
    for (let n = 0; n < (target.platform === 'node' ? 20 : 2); n++)
      await expect.poll(leave).toBe(200);
    const reply = await send({ method: 'GET', bucket: Bucket, key: 'photos/', query: ZIP });
    expect(readZip(reply.body)).toHaveLength(7);
  });

  it('is for everybody where everybody may list', async () => {
    await s3.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read' }));
    await openToEveryone(client, Bucket);
    const reply = await anonymous({ method: 'GET', bucket: Bucket, key: 'photos/', query: ZIP });
    expect(readZip(reply.body)).toHaveLength(7);
  });
});

describeCore('ZIPs that nobody reads', () => {
  it('leave room for those of another account', async () => {
    const root = await tokenClient(client);
    const tenantOf = async (name: string) => {
      const { accessKey, secretKey } = await newAccount(root, name);
      const signer = { accessKey, secretKey };
      const bucket = `zips-${crypto.randomUUID()}`;
      expect((await send({ method: 'PUT', bucket, signer })).status).toBe(200);
      const body = sampleBytes(9 * MiB, 7);
      expect((await send({ method: 'PUT', bucket, key: 'f/a', body, signer })).status).toBe(200);
      return {
        download: () => start(presigned({ method: 'GET', bucket, key: 'f/', query: ZIP, signer })),
      };
    };
    const [flooding, other] = [await tenantOf('floods'), await tenantOf('downloads')];
    const answers: IncomingMessage[] = [];
    for (let n = 0; n < 17; n++) answers.push(await flooding.download());
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([
      ...Array(4).fill(200),
      ...Array(13).fill(503),
    ]);
    answers.push(await other.download());
    expect(answers.at(-1)?.statusCode).toBe(200);
    for (const answer of answers) answer.destroy();
  });
});
