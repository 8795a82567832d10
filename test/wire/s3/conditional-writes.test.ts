// Conditions on writes, alone and in races: whatever happens at the same time, exactly one of the
// writers that must exclude each other wins, and what is stored is what the winner sent.
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError, expectFailure } from '../kit/clients/xml.ts';
import { complete, putPart, startUpload } from '../kit/multipart-kit.ts';

const { s3, send } = client;
const OTHER = '"00000000000000000000000000000000"';
const RACERS = 20;

describeCore('conditional writes', () => {
  const bucket = useBucket(client);
  const put = (key: string, body: string, headers: Record<string, string> = {}) =>
    send({ method: 'PUT', bucket, key, body, headers });
  const textAt = async (key: string) => (await send({ method: 'GET', bucket, key })).text;

  it('If-None-Match: * writes only where nothing is', async () => {
    expect((await put('new', 'first', { 'if-none-match': '*' })).status).toBe(200);
    expectError(await put('new', 'second', { 'if-none-match': '*' }), 412, 'PreconditionFailed');
    expect(await textAt('new')).toBe('first');
    await send({ method: 'DELETE', bucket, key: 'new' });
    expect((await put('new', 'third', { 'if-none-match': '*' })).status).toBe(200);
    expect(await textAt('new')).toBe('third');
  });

  it('If-Match writes only over what it names', async () => {
    const { headers } = await put('match', 'first');
    expectError(await put('match', 'second', { 'if-match': OTHER }), 412, 'PreconditionFailed');
    expect(await textAt('match')).toBe('first');
    expect((await put('match', 'second', { 'if-match': headers.etag ?? '' })).status).toBe(200);
    expectError(
      await put('match', 'third', { 'if-match': headers.etag ?? '' }),
      412,
      'PreconditionFailed',
    );
    expect(await textAt('match')).toBe('second');
    expectError(await put('missing', 'x', { 'if-match': OTHER }), 404, 'NoSuchKey');
    expectError(await send({ method: 'GET', bucket, key: 'missing' }), 404, 'NoSuchKey');
  });

  it(
    'If-None-Match with an ETag writes over ' +
      'something else only, or is not implemented, as in S3',
    async () => {
      const { headers } = await put('tagged', 'first');
      const same = await put('tagged', 'second', { 'if-none-match': headers.etag ?? '' });
      expect([412, 501], same.text).toContain(same.status);
      expect(await textAt('tagged')).toBe('first');
      const other = await put('tagged', 'third', { 'if-none-match': OTHER });
      expect([200, 501], other.text).toContain(other.status);
      expect(await textAt('tagged')).toBe(other.status === 200 ? 'third' : 'first');
    },
  );

  it('If-Match deletes only what it names', async () => {
    const { headers } = await put('doomed', 'x');
    const refused = await send({
      method: 'DELETE',
      bucket,
      key: 'doomed',
      headers: { 'if-match': OTHER },
    });
    expectError(refused, 412, 'PreconditionFailed');
    expect(await textAt('doomed')).toBe('x');
    const named = { 'if-match': headers.etag ?? '' };
    expect((await send({ method: 'DELETE', bucket, key: 'doomed', headers: named })).status).toBe(
      204,
    );
    expectError(await send({ method: 'GET', bucket, key: 'doomed' }), 404, 'NoSuchKey');
    for (const condition of [named, { 'if-match': '*' }]) {
      expectError(
        await send({ method: 'DELETE', bucket, key: 'doomed', headers: condition }),
        404,
        'NoSuchKey',
      );
    }
  });

  it('fail in the SDK with a named error', async () => {
    await put('sdk', 'x');
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: 'sdk',
      Body: 'y',
      IfNoneMatch: '*',
    });
    await expectFailure(s3.send(command), 412, 'PreconditionFailed');
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'sdk' }));
    expect(await Body?.transformToString()).toBe('x');
  });

  /** Sends all at once; expects one winner and returns its index. */
  async function race(attempt: (index: number) => Promise<{ status: number }>): Promise<number> {
    const replies = await Promise.all(Array.from({ length: RACERS }, (_, index) => attempt(index)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    // 409 ConditionalRequestConflict is S3's other way to say that somebody else was faster.
    for (const status of statuses) expect([200, 412, 409]).toContain(status);
    return statuses.indexOf(200);
  }

  it.each([100, 300_000])(
    'let one of twenty If-None-Match: * win, with bodies of %i bytes',
    async (size) => {
      for (let round = 0; round < 3; round++) {
        const key = `race-${size}-${round}`;
        const bodyOf = (index: number) => `${index} `.repeat(size).slice(0, size);
        const winner = await race((index) => put(key, bodyOf(index), { 'if-none-match': '*' }));
        expect(await textAt(key)).toBe(bodyOf(winner));
      }
    },
  );

  it('let one of twenty If-Match win', async () => {
    const { headers } = await put('swap', 'start');
    const winner = await race((index) =>
      put('swap', `winner ${index}`, { 'if-match': headers.etag ?? '' }),
    );
    expect(await textAt('swap')).toBe(`winner ${winner}`);
  });

  it('let one of many completions win', async () => {
    const uploads = await Promise.all(
      Array.from({ length: RACERS }, async (_, index) => {
        const uploadId = await startUpload(bucket, 'completions');
        return {
          uploadId,
          parts: [await putPart(bucket, 'completions', uploadId, 1, `upload ${index}`)],
        };
      }),
    );
    const winner = await race((index) => {
      const { uploadId, parts } = uploads[index] ?? { uploadId: '', parts: [] };
      return complete(bucket, 'completions', uploadId, parts, { 'if-none-match': '*' });
    });
    expect(await textAt('completions')).toBe(`upload ${winner}`);
  });

  it('count exactly when many increment one number', async () => {
    let { etag } = (await put('counter', '0')).headers;
    const increment = async () => {
      for (;;) {
        const { text, headers } = await send({ method: 'GET', bucket, key: 'counter' });
        const reply = await put('counter', `${Number(text) + 1}`, {
          'if-match': headers.etag ?? '',
        });
        if (reply.status === 200) return reply.headers.etag;
        expect([412, 409]).toContain(reply.status);
      }
    };
    const etags = await Promise.all(Array.from({ length: 8 }, increment));
    expect(await textAt('counter')).toBe('8');
    expect(new Set(etags).size).toBe(8);
    ({ etag } = (await send({ method: 'HEAD', bucket, key: 'counter' })).headers);
    expect(etags).toContain(etag);
  });
});
