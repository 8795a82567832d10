// What strangers may try with a drop link. Each is refused, leaves no object and no part, and
// counts for nothing in what its owner stores.
import { afterEach, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import type { Reply } from '../kit/clients/http.ts';
import { tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import {
  asSender,
  becomeSender,
  create,
  created,
  type Drop,
  head,
  keysOf,
  makeDrop,
  openPatch,
  patch,
  receiptOf,
  sendFile,
  uploadsOf,
  visit,
} from '../kit/drop-kit.ts';

const BODY = sampleBytes(300_000, 93);
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
/** A source of its own, whose places no other test takes; Linux alone has it. */
const LONE_SOURCE = process.platform === 'linux' ? '127.0.0.17' : undefined;
const { send } = client;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const codeOf = (reply: Reply) => (JSON.parse(reply.text) as { code: string }).code;

describeCore('a drop link', () => {
  const bucket = useBucket(client);
  /** Keys that a test leaves on purpose. */
  const legal = new Set<string>();

  async function opened(settings: Readonly<Record<string, unknown>> = {}) {
    const api = await tokenClient(client);
    const drop = await makeDrop(api, bucket, settings);
    return { api, drop, code: await becomeSender(drop) };
  }
  const usageOf = async (api: Awaited<ReturnType<typeof tokenClient>>, drop: Drop) => {
    const { usage } = (await api.call('GET', drop.route)).json;
    return { files: usage.files, bytes: Number(usage.bytes) };
  };
  const keep = (...keys: readonly string[]) => {
    for (const key of keys) legal.add(key);
  };

  // Whatever was refused has left nothing: neither objects nor parts.
  afterEach(async () => {
    expect((await keysOf(bucket)).filter((key) => !legal.has(key))).toEqual([]);
    expect(await uploadsOf(bucket)).toBe(0);
  });

  it('1: takes no more bytes than were announced, in chunks', async () => {
    const { api, drop, code } = await opened();
    const location = await created(drop, code, { name: 'a', length: 100_000 });
    const reply = await patch(location, code, 0, BODY, { announcedBytes: null });
    expect(reply.status).toBe(413);
    // A liar's file is over.
    expect((await head(location, code)).status).toBe(404);
    expect(await usageOf(api, drop)).toEqual({ files: 0, bytes: 0 });
  });

  it('2: takes no file above the limit of files, senders or the link', async () => {
    const { api, drop, code } = await opened({
      limits: { fileBytes: 1000, totalBytes: 2500, senderBytes: 1500, senderFiles: 2 },
    });
    expect((await create(drop, code, { name: 'a', length: 1001 })).status).toBe(413);
    const one = await created(drop, code, { name: 'a', length: 900 });
    const over = await create(drop, code, { name: 'b', length: 700 });
    expect([over.status, JSON.parse(over.text)]).toEqual([
      403,
      expect.objectContaining({ code: 'QuotaExceeded', limit: 'senderBytes', max: '1500' }),
    ]);
    const two = await created(drop, code, { name: 'b', length: 1 });
    const third = await create(drop, code, { name: 'c', length: 1 });
    expect(JSON.parse(third.text)).toMatchObject({ limit: 'senderFiles', max: '2' });
    const other = await becomeSender(drop);
    const three = await created(drop, other, { name: 'd', length: 1000 });
    const total = await create(drop, await becomeSender(drop), { name: 'e', length: 1000 });
    expect(JSON.parse(total.text)).toMatchObject({ limit: 'totalBytes', max: '2500' });
    expect(await usageOf(api, drop)).toEqual({ files: 3, bytes: 1901 });
    for (const [location, who] of [
      [one, code],
      [two, code],
      [three, other],
    ] as const)
      expect((await visit('DELETE', location, { headers: asSender(who) })).status).toBe(204);
    expect(await usageOf(api, drop)).toEqual({ files: 0, bytes: 0 });
  });

  it('3: refuses a type that it does not take, declared or hidden', async () => {
    const { drop, code } = await opened({ limits: { types: ['image/*'] } });
    const html = Buffer.from(`<!DOCTYPE html><script>${' '.repeat(100)}</script>`);
    expect((await sendOrRefuse(drop, code, 'a.html', html, 'text/html')).status).toBe(403);
    for (const [name, bytes, type] of [
      ['a.png', html, 'image/png'],
      ['a.jpg', Buffer.concat([PNG, BODY]), 'image/jpeg'],
      ['a.webp', Buffer.from('MZ and so on'), 'image/webp'],
      ['a.svg', html, 'image/svg+xml'],
    ] as const) {
      const reply = await sendOrRefuse(drop, code, name, bytes, type);
      expect([name, reply.status]).toEqual([name, 403]);
    }
    // In pieces of which the first shows nothing.
    const location = await created(drop, code, { name: 'b.png', length: 10, type: 'image/png' });
    expect((await patch(location, code, 0, Buffer.from('x'.repeat(10)))).status).toBe(403);
    expect((await head(location, code)).status).toBe(404);
    const honest = Buffer.concat([PNG, BODY]);
    expect((await sendFile(drop, code, 'c.png', honest, 'image/png')).status).toBe(204);
    keep('in/c.png');
  });

  it('4: refuses or mends names that lead elsewhere, or read otherwise', async () => {
    const { drop, code } = await opened();
    for (const name of [
      '../up.txt',
      'a/../../up.txt',
      '..\\up.txt',
      'a\u0000b',
      'invoice\u202efdp.exe',
      'zero\u200bwidth',
      'line\nbreak',
      `${'x'.repeat(256)}.txt`,
      `${'é'.repeat(130)}.txt`,
      'a/'.repeat(30),
      '',
      '   ',
      './.',
    ]) {
      const reply = await create(drop, code, { name, length: 5 });
      expect([name.slice(0, 20), reply.status]).toEqual([name.slice(0, 20), 400]);
    }
    const upward = await visit('POST', `${drop.path}/files`, {
      headers: {
        ...asSender(code),
        'upload-length': '5',
        'upload-metadata': `relativePath ${base64('../x')},filename ${base64('x')}`,
      },
    });
    expect(upward.status).toBe(400);
  });

  it('5: takes no more files than its number, also of many at once', async () => {
    const { api, drop, code } = await opened({ limits: { files: 10 } });
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) => create(drop, code, { name: `${index}`, length: 5 })),
    );
    const taken = replies.filter(({ status }) => status === 201);
    expect(taken).toHaveLength(10);
    for (const { status, text } of replies.filter((reply) => reply.status !== 201))
      expect([status, JSON.parse(text).limit]).toEqual([403, 'files']);
    expect(await usageOf(api, drop)).toEqual({ files: 10, bytes: 50 });
    for (const { headers } of taken)
      await visit('DELETE', headers.location ?? '', { headers: asSender(code) });
  });

  it('6: makes one file of last bytes that are sent again', async () => {
    const { api, drop, code } = await opened();
    const location = await created(drop, code, { name: 'again', length: 5 });
    const hello = Buffer.from('hello');
    expect((await patch(location, code, 0, hello)).status).toBe(204);
    for (const offset of [0, 5]) {
      const replies = await Promise.all([1, 2].map(() => patch(location, code, offset, hello)));
      for (const { status } of replies) expect([409, 413]).toContain(status);
    }
    keep('in/again');
    expect(await usageOf(api, drop)).toEqual({ files: 1, bytes: 5 });
    // What was handed in is the receiver's.
    expect((await visit('DELETE', location, { headers: asSender(code) })).status).toBe(403);
  });

  it('7: makes one file where its end comes several times at once', async () => {
    const { drop, code } = await opened();
    const location = await created(drop, code, { name: 'race', length: BODY.length });
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => patch(location, code, 0, BODY)),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    for (const status of statuses) expect([204, 404, 409]).toContain(status);
    keep('in/race');
    const got = await send({ method: 'GET', bucket, key: 'in/race' });
    expect(got.body.equals(BODY)).toBe(true);
    expect(await receiptOf(drop, code)).toHaveLength(1);
  });

  it('8: refuses lengths that are none, or more than there can be', async () => {
    const { drop, code } = await opened();
    for (const length of ['-1', '1e9', '0x10', '99999999999999999999', '', 'NaN', '1.5']) {
      const reply = await create(drop, code, { name: 'a', length });
      expect([length, reply.status, codeOf(reply)]).toEqual([length, 400, 'InvalidArgument']);
    }
    const huge = await create(drop, code, { name: 'a', length: '999999999999999' });
    expect(huge.status).toBe(413);
    const deferred = await create(drop, code, {
      name: 'a',
      length: '',
      headers: { 'upload-defer-length': '1' },
    });
    expect([deferred.status, codeOf(deferred)]).toEqual([400, 'InvalidRequest']);
  });

  it('9: refuses lies about the offset', async () => {
    const { drop, code } = await opened();
    const location = await created(drop, code, { name: 'offset', length: BODY.length });
    expect((await patch(location, code, 0, BODY.subarray(0, 100_000))).status).toBe(204);
    for (const offset of ['0', '99999', '100001', '300000'])
      expect((await patch(location, code, offset, BODY.subarray(0, 100_000))).status).toBe(409);
    for (const offset of ['-5', 'x', '', '1e5'])
      expect((await patch(location, code, offset, BODY.subarray(0, 100_000))).status).toBe(400);
    const typeless = await patch(location, code, 100_000, BODY.subarray(100_000), {
      headers: { 'content-type': 'text/plain' },
    });
    expect(typeless.status).toBe(415);
    expect((await patch(location, code, 100_000, BODY.subarray(100_000))).status).toBe(204);
    keep('in/offset');
  });

  it('10: takes no bytes after it was revoked, running ones neither', async () => {
    const { api, drop, code } = await opened();
    const location = await created(drop, code, { name: 'revoked', length: BODY.length });
    const revoke = await api.call('PATCH', drop.route, { isRevoked: true }, { 'if-match': '*' });
    expect(revoke.json).toMatchObject({ state: 'revoked' });
    expect((await patch(location, code, 0, BODY)).status).toBe(410);
    expect((await create(drop, code, { name: 'b', length: 5 })).status).toBe(410);
    expect((await visit('POST', `${drop.path}/senders`, { body: Buffer.from('{}') })).status).toBe(
      410,
    );
    const page = await visit('GET', drop.path, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(410);
    // What came before is still receipted.
    expect(await receiptOf(drop, code)).toHaveLength(1);
    expect((await api.call('DELETE', drop.route)).status).toBe(204);
  });

  it('10: cuts off bytes that go on coming while it is revoked', async () => {
    const { api, drop, code } = await opened();
    const location = await created(drop, code, { name: 'running', length: 50_000_000 });
    const running = openPatch(location, code, 50_000_000);
    let isOver = false;
    const status = running.status.then((value) => {
      isOver = true;
      return value;
    });
    await running.write(BODY);
    await api.call('PATCH', drop.route, { isRevoked: true }, { 'if-match': '*' });
    const revokedAtMs = Date.now();
    while (!isOver && Date.now() - revokedAtMs < 20_000) {
      await running.write(BODY.subarray(0, 1000));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect([410, null]).toContain(await status);
    expect(Date.now() - revokedAtMs).toBeLessThan(5000);
    running.destroy();
    expect((await api.call('DELETE', drop.route)).status).toBe(204);
  });

  it('11: takes no bytes after its end', async () => {
    const { api, drop, code } = await opened();
    const location = await created(drop, code, { name: 'late', length: BODY.length });
    const expiresAt = new Date(Date.now() + 1200).toISOString();
    const set = await api.call('PATCH', drop.route, { expiresAt }, { 'if-match': '*' });
    expect(set.status).toBe(200);
    await expect
      .poll(async () => (await create(drop, code, { name: 'b', length: 5 })).status)
      .toBe(410);
    expect((await patch(location, code, 0, BODY)).status).toBe(410);
    expect((await api.call('DELETE', drop.route)).status).toBe(204);
  });

  it('12: counts wrong codes, and makes their source wait', async () => {
    const { drop, code } = await opened();
    const location = await created(drop, code, { name: 'mine', length: 5 });
    for (const wrong of ['', 'x', '0000-0000-0000-0000', code.slice(0, -1), `${code}0`])
      expect((await patch(location, wrong, 0, Buffer.from('hello'))).status).toBe(403);
    const without = await visit('HEAD', location, { headers: { 'tus-resumable': '1.0.0' } });
    expect(without.status).toBe(403);
    const tries: number[] = [];
    for (let number = 0; number < 14; number++) {
      const guess = `0000-0000-0000-${String(number).padStart(4, '0')}`;
      tries.push((await visit('GET', `${drop.path}/receipt`, { headers: asSender(guess) })).status);
    }
    expect(tries).toContain(429);
    // Another link's senders are not slowed by it.
    const other = await opened();
    expect((await sendFile(other.drop, other.code, 'fine', Buffer.from('x'))).status).toBe(204);
    keep('in/fine');
    const { api } = other;
    expect((await api.call('DELETE', drop.route)).status).toBe(204);
  });

  it('13: refuses the code of another link, and files of another link', async () => {
    const first = await opened();
    const second = await opened();
    const location = await created(first.drop, first.code, { name: 'a', length: 5 });
    expect((await create(second.drop, first.code, { name: 'b', length: 5 })).status).toBe(403);
    const elsewhere = location.replace(first.drop.id, second.drop.id);
    expect((await patch(elsewhere, second.code, 0, Buffer.from('hello'))).status).toBe(404);
    expect(await receiptOf(second.drop, second.code)).toEqual([]);
    await visit('DELETE', location, { headers: asSender(first.code) });
  });

  it('14: refuses metadata that is too long, or none', async () => {
    const { drop, code } = await opened();
    const withMetadata = (metadata: string) =>
      visit('POST', `${drop.path}/files`, {
        headers: { ...asSender(code), 'upload-length': '5', 'upload-metadata': metadata },
      });
    for (const metadata of [
      `filename ${base64('x'.repeat(4000))}`,
      'filename !!!',
      'filename a b c',
      `filename ${Buffer.from([0xff, 0xfe]).toString('base64')}`,
      ',,,,',
      'x',
    ])
      expect([metadata.slice(0, 20), (await withMetadata(metadata)).status]).toEqual([
        metadata.slice(0, 20),
        400,
      ]);
  });

  it('15: refuses bytes that are not those of their checksum', async () => {
    const { api, drop, code } = await opened();
    const location = await created(drop, code, { name: 'sum', length: BODY.length });
    for (const checksum of [
      `sha1 ${Buffer.alloc(20).toString('base64')}`,
      `md5 ${Buffer.alloc(16).toString('base64')}`,
      `crc32 ${Buffer.alloc(4).toString('base64')}`,
    ]) {
      const reply = await patch(location, code, 0, BODY, {
        headers: { 'upload-checksum': checksum },
      });
      expect([checksum.slice(0, 5), reply.status]).toEqual([checksum.slice(0, 5), 460]);
    }
    for (const checksum of ['sha1', 'rot13 AAAA', 'sha256 AAAA']) {
      const reply = await patch(location, code, 0, BODY, {
        headers: { 'upload-checksum': checksum },
      });
      expect(reply.status).toBe(400);
    }
    expect((await head(location, code)).headers['upload-offset']).toBe('0');
    await visit('DELETE', location, { headers: asSender(code) });
    expect(await usageOf(api, drop)).toEqual({ files: 0, bytes: 0 });
  });

  it('16: makes no blob of each crumb of a file', async () => {
    const { drop, code } = await opened();
    const location = await created(drop, code, { name: 'crumbs', length: BODY.length });
    const crumb = await patch(location, code, 0, BODY.subarray(0, 100));
    expect([crumb.status, codeOf(crumb)]).toEqual([400, 'InvalidRequest']);
    const hidden = await patch(location, code, 0, BODY.subarray(0, 100), { announcedBytes: null });
    expect(hidden.headers['upload-offset']).toBe('0');
    await visit('DELETE', location, { headers: asSender(code) });
  });

  it('17: takes no more than some senders from one address', async () => {
    const { drop } = await opened();
    const statuses: number[] = [];
    for (let number = 0; number < 22; number++) {
      const reply = await visit('POST', `${drop.path}/senders`, { body: Buffer.from('{}') });
      statuses.push(reply.status);
      if (reply.status === 429) expect(Number(reply.headers['retry-after'])).toBeGreaterThan(3600);
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(19);
    expect(statuses.at(-1)).toBe(429);
  });

  it('17: bounds requests at once whose bytes never come', async () => {
    const { api, drop, code } = await opened();
    const stalled = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const location = await created(drop, code, { name: `${index}`, length: 100_000 });
        return openPatch(location, code, 100_000, LONE_SOURCE);
      }),
    );
    await Promise.all(stalled.map((each) => each.write(Buffer.from('x'))));
    let refused = 0;
    for (const { status } of stalled)
      void status.then((value) => {
        if (value === 429) refused += 1;
      });
    await expect.poll(() => refused).toBe(4);
    for (const each of stalled) each.destroy();
    expect((await api.call('DELETE', drop.route)).status).toBe(204);
  });

  it('18: shows and hands nobody what somebody else sends', async () => {
    const { drop, code } = await opened();
    const other = await becomeSender(drop);
    const location = await created(drop, code, { name: 'private', length: 5 });
    for (const [method, more] of [
      ['DELETE', {}],
      ['HEAD', {}],
      ['PATCH', { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }],
    ] as const) {
      const reply = await visit(method, location, { headers: { ...asSender(other), ...more } });
      expect([method, reply.status]).toEqual([method, 404]);
    }
    expect(await receiptOf(drop, other)).toEqual([]);
    expect((await head(location, code)).status).toBe(200);
    await visit('DELETE', location, { headers: asSender(code) });
  });

  it('19: refuses documents that are too long, or none, and other methods', async () => {
    const { drop, code } = await opened();
    const post = (body: Buffer) => visit('POST', `${drop.path}/senders`, { body });
    expect((await post(Buffer.alloc(40_000, 0x20))).status).toBe(413);
    for (const text of ['{', '{"name":[]}', '{"name":"\\ud800"}'])
      expect((await post(Buffer.from(text))).status).toBe(400);
    for (const method of ['PUT', 'DELETE', 'PATCH'])
      expect((await visit(method, drop.path)).status).toBe(405);
    expect((await visit('GET', `${drop.path}/files`, { headers: asSender(code) })).status).toBe(
      405,
    );
    for (const below of ['/x', '/files/../x', '/files/a/b', '/senders/x', '/receipt/x'])
      expect([404, 403, 405]).toContain((await visit('GET', drop.path + below)).status);
  });

  it('20: refuses forms that never end, or are none', async () => {
    const { drop } = await opened({ limits: { fileBytes: 1000 } });
    const post = (body: Buffer, type = 'multipart/form-data; boundary=b', more = {}) =>
      visit('POST', drop.path, { body, headers: { 'content-type': type }, ...more });
    const file = (name: string, text: string) =>
      `--b\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\n\r\n${text}\r\n`;
    const cut = await post(Buffer.from(file('cut', 'bytes').slice(0, -2)));
    expect(cut.status).toBe(400);
    const long = await post(Buffer.from(`${file('long', 'x'.repeat(5000))}--b--`));
    expect([long.status, JSON.parse(long.text).refused]).toEqual([
      400,
      [expect.objectContaining({ name: 'long', code: 'EntityTooLarge' })],
    ]);
    const chunked = await post(Buffer.from(`${file('a', 'b')}--b--`), undefined, {
      announcedBytes: null,
    });
    expect(chunked.status).toBe(411);
    expect((await post(Buffer.from('x'), 'text/plain')).status).toBe(412);
    const fields = Buffer.from(
      `--b\r\ncontent-disposition: form-data; name="note"\r\n\r\n${'x'.repeat(30_000)}\r\n--b--`,
    );
    expect((await post(fields)).status).toBe(400);
  });
});

/** A file whose announcement may be refused already. */
async function sendOrRefuse(
  drop: Drop,
  code: string,
  name: string,
  body: Uint8Array,
  type: string,
): Promise<Reply> {
  const reply = await create(drop, code, { name, length: body.length, type });
  return reply.status === 201 ? patch(reply.headers.location ?? '', code, 0, body) : reply;
}
