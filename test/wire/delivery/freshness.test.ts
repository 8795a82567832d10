// How fresh public reads are after a write: on Node nothing may ever be stale; elsewhere no longer
// than the target says.
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError } from '../kit/clients/xml.ts';
import { eventually } from '../kit/eventually.ts';
import { md5Hex } from '../kit/reference-checksums.ts';

const { send, anonymous, target } = client;

describeCore('a public read after a change', () => {
  const bucket = useBucket(client);
  const read = (key: string) => anonymous({ method: 'GET', bucket, key });
  beforeAll(() => openToEveryone(client, bucket));

  it.each([10, 100_000])('shows an overwrite, with bodies of %i bytes', async (size) => {
    const rounds = target.stalenessSeconds === 0 ? 25 : 2;
    const key = `over-${size}`;
    for (let round = 0; round < rounds; round++) {
      const body = `${round} `.repeat(size).slice(0, size);
      await send({ method: 'PUT', bucket, key, body });
      const reply = await eventually(
        () => read(key),
        ({ text }) => text === body,
      );
      expect(reply.text === body, `round ${round}, got ${reply.text.slice(0, 20)}`).toBe(true);
      expect(reply.headers.etag).toBe(`"${md5Hex(Buffer.from(body))}"`);
    }
  });

  it('shows a deletion and a first write', async () => {
    expectError(await read('comes'), 404, 'NoSuchKey');
    await send({ method: 'PUT', bucket, key: 'comes', body: 'here' });
    expect(
      (
        await eventually(
          () => read('comes'),
          ({ status }) => status === 200,
        )
      ).text,
    ).toBe('here');
    await send({ method: 'DELETE', bucket, key: 'comes' });
    expectError(
      await eventually(
        () => read('comes'),
        ({ status }) => status === 404,
      ),
      404,
      'NoSuchKey',
    );
  });

  it('shows copies and new metadata: equal bytes never bring old headers', async () => {
    const put = (type: string) =>
      send({
        method: 'PUT',
        bucket,
        key: 'typed',
        body: 'same',
        headers: { 'content-type': type },
      });
    for (const type of ['text/x-one', 'text/x-two']) {
      await put(type);
      const reply = await eventually(
        () => read('typed'),
        ({ headers }) => headers['content-type'] === type,
      );
      expect(reply.headers['content-type']).toBe(type);
    }
  });

  it('is refused when the bucket is made private, let in when it is public again', async () => {
    const close = () => send({ method: 'DELETE', bucket, query: { policy: '' } });
    await send({ method: 'PUT', bucket, key: 'shown', body: 'x'.repeat(20_000) });
    const hasStatus = (expected: number) =>
      eventually(
        () => read('shown'),
        ({ status }) => status === expected,
      );
    const rounds = target.stalenessSeconds === 0 ? 10 : 2;
    for (let round = 0; round < rounds; round++) {
      expect((await hasStatus(200)).status).toBe(200);
      await close();
      expect((await hasStatus(403)).status).toBe(403);
      await openToEveryone(client, bucket);
    }
    expect((await hasStatus(200)).status).toBe(200);
  });

  it('takes an old validator for no match any more, by HEAD too', async () => {
    const put = (body: string) => send({ method: 'PUT', bucket, key: 'checked', body });
    await put('one');
    const first = await eventually(
      () => read('checked'),
      ({ text }) => text === 'one',
    );
    const ifNew = () =>
      anonymous({
        method: 'GET',
        bucket,
        key: 'checked',
        headers: { 'if-none-match': first.headers.etag ?? '' },
      });
    expect((await ifNew()).status).toBe(304);
    await put('three');
    expect((await eventually(ifNew, ({ status }) => status === 200)).text).toBe('three');
    const head = await eventually(
      () => anonymous({ method: 'HEAD', bucket, key: 'checked' }),
      ({ headers }) => headers['content-length'] === '5',
    );
    expect(head.headers['content-length']).toBe('5');
  });

  it('never mixes an old ETag with new bytes', async () => {
    let isDone = false;
    const bodyOf = (round: number) => `${round} `.repeat(30_000);
    const valid = new Map<string, string>();
    for (let round = 0; round < 20; round++)
      valid.set(`"${md5Hex(Buffer.from(bodyOf(round)))}"`, bodyOf(round));
    await send({ method: 'PUT', bucket, key: 'mix', body: bodyOf(0) });
    const reader = async () => {
      while (!isDone) {
        const { headers, text } = await read('mix');
        expect(valid.get(headers.etag ?? '') === text, headers.etag).toBe(true);
      }
    };
    const readers = [reader(), reader(), reader()];
    for (let round = 1; round < 20; round++)
      await send({ method: 'PUT', bucket, key: 'mix', body: bodyOf(round) });
    isDone = true;
    await Promise.all(readers);
  });
});
