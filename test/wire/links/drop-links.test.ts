// Drop links as senders and owners use them: tus from the specification, the form, codes and
// receipts, names, quarantine, and what the owner sees.
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import {
  asSender,
  becomeSender,
  create,
  created,
  head,
  keysOf,
  makeDrop,
  openPatch,
  patch,
  receiptOf,
  sendFile,
  sha256Of,
  uploadsOf,
  visit,
} from '../kit/drop-kit.ts';

const BODY = sampleBytes(400_000, 91);
const { send } = client;

describeCore('a drop link', () => {
  const bucket = useBucket(client);

  it('takes a file in pieces, in another session too, and gives a receipt', async () => {
    const api = await tokenClient(client);
    const drop = await makeDrop(api, bucket, { prefix: 'pieces/' });
    const code = await becomeSender(drop);
    expect(code).toMatch(/^[0-9a-z]{4}(?:-[0-9a-z]{4}){3}$/);
    const location = await created(drop, code, { name: 'a/b c/ü.bin', length: BODY.length });
    const first = await patch(location, code, 0, BODY.subarray(0, 150_000));
    expect([first.status, first.headers['upload-offset']]).toEqual([204, '150000']);
    expect(first.headers['upload-expires']).toMatch(/GMT$/);
    // Another day, another device: only the code is known, typed by hand.
    const typed = code.toUpperCase().replaceAll('-', ' ');
    const [unfinished] = await receiptOf(drop, typed);
    expect(unfinished).toMatchObject({ name: 'a/b c/ü.bin', received: 150_000, isComplete: false });
    const state = await head(unfinished?.href ?? '', typed);
    expect([state.status, state.headers['upload-offset'], state.headers['upload-length']]).toEqual([
      200,
      '150000',
      '400000',
    ]);
    expect(state.headers['cache-control']).toBe('no-store');
    const rest = await patch(location, typed, 150_000, BODY.subarray(150_000));
    expect([rest.status, rest.headers['upload-offset']]).toEqual([204, '400000']);
    const got = await send({ method: 'GET', bucket, key: 'pieces/a/b c/ü.bin' });
    expect(got.body.equals(BODY)).toBe(true);
    expect(await receiptOf(drop, code)).toEqual([
      expect.objectContaining({ isComplete: true, size: 400_000, sha256: sha256Of(BODY) }),
    ]);
    const done = await head(location, code);
    expect([done.status, done.headers['upload-offset']]).toEqual([200, '400000']);
    expect(await uploadsOf(bucket)).toBe(0);
  });

  it('speaks tus: options, creation with a body, checksums, termination, no bytes', async () => {
    const drop = await makeDrop(await tokenClient(client), bucket, {
      prefix: 'tus/',
      limits: { fileBytes: 1_000_000 },
    });
    const options = await visit('OPTIONS', `${drop.path}/files`);
    expect(options.status).toBe(204);
    expect(options.headers).toMatchObject({
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,termination,checksum,expiration',
      'tus-checksum-algorithm': 'sha1,sha256,crc32,md5',
      'tus-max-size': '1000000',
    });
    const code = await becomeSender(drop);
    const whole = await create(drop, code, { name: 'whole', length: BODY.length, body: BODY });
    expect([whole.status, whole.headers['upload-offset']]).toEqual([201, '400000']);
    const none = await create(drop, code, { name: 'none', length: 0 });
    expect([none.status, none.headers['upload-offset']]).toEqual([201, '0']);
    expect((await send({ method: 'GET', bucket, key: 'tus/none' })).body.length).toBe(0);

    const location = await created(drop, code, { name: 'checked', length: BODY.length });
    const digest = Buffer.from(sha256Of(BODY), 'hex').toString('base64');
    const checked = (body: Uint8Array) =>
      patch(location, code, 0, body, { headers: { 'upload-checksum': `sha256 ${digest}` } });
    const wrong = await checked(Buffer.from(BODY).fill(1, 9, 10));
    expect([wrong.status, (await head(location, code)).headers['upload-offset']]).toEqual([
      460,
      '0',
    ]);
    expect((await checked(BODY)).status).toBe(204);

    const given = await created(drop, code, { name: 'given up', length: BODY.length });
    await patch(given, code, 0, BODY.subarray(0, 100_000));
    const gone = await visit('DELETE', given, { headers: asSender(code) });
    expect(gone.status).toBe(204);
    expect((await head(given, code)).status).toBe(404);
    // Clients behind old proxies send it so.
    const posted = await created(drop, code, { name: 'posted', length: 5 });
    const override = await visit('POST', posted, {
      body: Buffer.from('hello'),
      headers: {
        ...asSender(code),
        'x-http-method-override': 'PATCH',
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '0',
      },
    });
    expect(override.status).toBe(204);
    const version = await visit('POST', `${drop.path}/files`, {
      headers: { ...asSender(code), 'tus-resumable': '0.2.2', 'upload-length': '5' },
    });
    expect([version.status, version.headers['tus-version']]).toEqual([412, '1.0.0']);
    expect(await uploadsOf(bucket)).toBe(0);
    expect((await keysOf(bucket)).filter((key) => key.startsWith('tus/'))).toEqual([
      'tus/checked',
      'tus/none',
      'tus/posted',
      'tus/whole',
    ]);
  });

  it('says how much a request must bring of a large file', async () => {
    const drop = await makeDrop(await tokenClient(client), bucket, { prefix: 'large/' });
    const code = await becomeSender(drop);
    const name = 'x-quayside-drop-least-piece';
    const small = await create(drop, code, { name: 'small', length: 200_000 });
    expect(small.headers[name]).toBe('65536');
    const large = await create(drop, code, { name: 'large', length: 200_000_000_000 });
    expect(large.headers[name]).toBe(`${Math.ceil(200_000_000_000 / 9000)}`);
    const location = large.headers.location ?? '';
    expect((await head(location, code)).headers[name]).toBe(large.headers[name]);
    expect((await patch(location, code, 0, BODY)).status).toBe(400);
    for (const begun of [location, small.headers.location ?? ''])
      expect((await visit('DELETE', begun, { headers: asSender(code) })).status).toBe(204);
  });

  it('keeps what came before a connection broke', async () => {
    const drop = await makeDrop(await tokenClient(client), bucket, { prefix: 'broken/' });
    const code = await becomeSender(drop);
    const location = await created(drop, code, { name: 'file', length: BODY.length });
    const body = openPatch(location, code, BODY.length);
    await body.write(BODY.subarray(0, 200_000));
    await new Promise((resolve) => setTimeout(resolve, 200));
    body.destroy();
    // A platform may not give on the last bytes that it had in its own buffer.
    const offset = async () => Number((await head(location, code)).headers['upload-offset']);
    await expect.poll(offset).toBeGreaterThan(190_000);
    const from = await offset();
    const rest = await patch(location, code, from, BODY.subarray(from));
    expect([rest.status, rest.headers['upload-offset']]).toEqual([204, '400000']);
    const got = await send({ method: 'GET', bucket, key: 'broken/file' });
    expect(got.body.equals(BODY)).toBe(true);
  });

  it('never overwrites, whoever sends what name when', async () => {
    const drop = await makeDrop(await tokenClient(client), bucket, { prefix: 'names/' });
    await send({ method: 'PUT', bucket, key: 'names/a.txt', body: 'the owner’s' });
    const codes = await Promise.all(Array.from({ length: 5 }, () => becomeSender(drop)));
    const replies = await Promise.all(
      codes.map((code, index) => sendFile(drop, code, 'a.txt', Buffer.from(`sender ${index}`))),
    );
    expect(replies.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    const keys = (await keysOf(bucket)).filter((key) => key.startsWith('names/'));
    expect(keys).toEqual([
      ...[2, 3, 4, 5, 6].map((number) => `names/a (${number}).txt`),
      'names/a.txt',
    ]);
    expect((await send({ method: 'GET', bucket, key: 'names/a.txt' })).text).toBe('the owner’s');
  });

  it('names files by the owner’s template, and asks what he wants to know', async () => {
    const drop = await makeDrop(await tokenClient(client), bucket, {
      prefix: 'by/',
      template: '{date}/{sender}/{name}',
      page: { name: 'required', mail: 'optional', note: 'none' },
    });
    const refused = await visit('POST', `${drop.path}/senders`, { body: Buffer.from('{}') });
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([
      400,
      'The field name is required.',
    ]);
    for (const fields of [
      { name: 'x', mail: 'nobody' },
      { name: 'x', note: 'not asked' },
      { name: 'x'.repeat(101) },
      { name: 'a\u0000b' },
      { name: 'a\u202eb' },
      { name: 7 },
    ]) {
      const body = Buffer.from(JSON.stringify(fields));
      expect((await visit('POST', `${drop.path}/senders`, { body })).status).toBe(400);
    }
    const code = await becomeSender(drop, { name: '../Ada/Lovelace', mail: 'ada@example.org' });
    await sendFile(drop, code, 'x/plan.txt', Buffer.from('plan'));
    const today = new Date().toISOString().slice(0, 10);
    expect((await keysOf(bucket)).filter((key) => key.startsWith('by/'))).toEqual([
      `by/${today}/..-Ada-Lovelace/x/plan.txt`,
    ]);
  });

  it('keeps files in quarantine until the owner releases them', async () => {
    const api = await tokenClient(client);
    const drop = await makeDrop(api, bucket, { prefix: 'safe/', quarantine: 'wait/' });
    const code = await becomeSender(drop);
    await sendFile(drop, code, 'a.txt', Buffer.from('new'));
    await send({ method: 'PUT', bucket, key: 'safe/a.txt', body: 'old' });
    const below = async () =>
      (await keysOf(bucket)).filter((key) => key.startsWith('safe/') || key.startsWith('wait/'));
    expect(await below()).toEqual(['safe/a.txt', 'wait/a.txt']);
    const release = await api.call('POST', `${drop.route}/release`);
    expect(release.status).toBe(202);
    await expect
      .poll(async () => (await below()).filter((key) => key.startsWith('wait/')))
      .toEqual([]);
    expect(await below()).toHaveLength(2);
    expect((await send({ method: 'GET', bucket, key: 'safe/a.txt' })).text).toBe('old');
  });

  it('releases what came by this link, whatever else lies in its quarantine', async () => {
    const api = await tokenClient(client);
    const [drop, other] = await Promise.all(
      ['mine/', 'theirs/'].map((prefix) => makeDrop(api, bucket, { prefix, quarantine: 'same/' })),
    );
    if (drop === undefined || other === undefined) throw new Error('There is no link.');
    const code = await becomeSender(drop);
    for (const name of ['a.txt', 'same/b.txt', 'c.txt'])
      await sendFile(drop, code, name, Buffer.from(name));
    await sendFile(other, await becomeSender(other), 'a.txt', Buffer.from('of another sender'));
    for (const key of ['same/c.txt', 'same/owner.txt'])
      await send({ method: 'PUT', bucket, key, body: 'the owner’s' });
    expect((await api.call('POST', `${drop.route}/release`)).status).toBe(202);
    const below = async () =>
      (await keysOf(bucket)).filter((key) => /^(?:mine|theirs|same)\//.test(key));
    const released = ['mine/a.txt', 'mine/same/b.txt'];
    const waiting = ['same/a (2).txt', 'same/c.txt', 'same/owner.txt'];
    await expect.poll(below).toEqual([...released, ...waiting]);
    expect((await api.call('POST', `${other.route}/release`)).status).toBe(202);
    await expect.poll(below).toEqual([...released, ...waiting.slice(1), 'theirs/a (2).txt']);
  });

  it('shows its owner who sent what, and changes by his word', async () => {
    const api = await tokenClient(client);
    const drop = await makeDrop(api, bucket, { prefix: 'owner/', limits: { files: 2 } });
    const code = await becomeSender(drop, { name: 'Ada' });
    await sendFile(drop, code, 'a.txt', Buffer.from('hello'));
    const { json } = await api.call('GET', `${drop.route}/files`);
    expect(json.items).toEqual([
      expect.objectContaining({
        path: 'a.txt',
        key: 'owner/a.txt',
        size: '5',
        sha256: sha256Of(Buffer.from('hello')),
      }),
    ]);
    const senders = await api.call('GET', `${drop.route}/senders`);
    expect(senders.json.items).toEqual([
      expect.objectContaining({ name: 'Ada', files: 1, bytes: '5' }),
    ]);
    expect(JSON.stringify([json, senders.json])).not.toContain(code);
    const before = await api.call('GET', drop.route);
    expect(before.json).toMatchObject({
      state: 'open',
      usage: { files: 1, bytes: '5', senders: 1 },
    });
    const changed = await api.call(
      'PATCH',
      drop.route,
      { limits: { files: 1 }, page: { title: 'Hand in' } },
      { 'if-match': '*' },
    );
    expect(changed.json).toMatchObject({
      state: 'full',
      page: { title: 'Hand in', name: 'optional' },
    });
    const list = await api.call('GET', `/buckets/${bucket}/drop-links`);
    expect(list.json.items.map(({ id }: { id: string }) => id)).toContain(drop.id);
    const below = (prefix: string) =>
      api.call('POST', `/buckets/${bucket}/drop-links/revoke`, { prefix });
    expect((await below('owner/sub/')).json).toEqual({ revoked: 0 });
    expect((await below('own')).json).toEqual({ revoked: 1 });
    expect((await api.call('GET', drop.route)).json).toMatchObject({ state: 'revoked' });
    expect((await api.call('DELETE', drop.route)).status).toBe(204);
    expect((await visit('GET', drop.path)).status).toBe(404);
    expect((await api.call('GET', drop.route)).status).toBe(404);
    expect((await send({ method: 'GET', bucket, key: 'owner/a.txt' })).status).toBe(200);
  });

  it('takes a form without a script, and shows the receipt as a page', async () => {
    const drop = await makeDrop(await tokenClient(client), bucket, {
      prefix: 'form/',
      limits: { fileBytes: 1000, types: ['text/*', 'application/octet-stream'] },
    });
    const html = { accept: 'text/html' };
    const page = await visit('GET', drop.path, { headers: html });
    expect(page.status).toBe(200);
    expect(page.text).toContain('<form');
    expect(page.text).toContain('enctype="multipart/form-data"');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['set-cookie']).toBeUndefined();
    const chinese = await visit('GET', `${drop.path}?lang=zh`, { headers: html });
    expect(chinese.text).toContain('发送文件');

    const form = new FormData();
    form.set('name', 'Ada');
    form.append('files', new File(['one'], 'one.txt', { type: 'text/plain' }));
    form.append('files', new File([''], 'empty.txt', { type: 'text/plain' }));
    form.append('files', new File(['x'.repeat(2000)], 'large.txt', { type: 'text/plain' }));
    form.append('files', new File(['<script>'], '../evil.txt', { type: 'text/plain' }));
    form.append('files', new File(['pixels'], 'a.png', { type: 'image/png' }));
    form.append('files', new File(['two'], 'folder/<b>two.txt', { type: 'text/plain' }));
    const posted = await fetch(client.target.url + drop.path, {
      method: 'POST',
      headers: html,
      body: form,
    });
    const text = await posted.text();
    expect(posted.status).toBe(400);
    expect(text).toContain(sha256Of(Buffer.from('one')));
    expect(text).toContain('folder/&lt;b&gt;two.txt');
    for (const name of ['large.txt', 'evil.txt', 'a.png']) expect(text).toContain(name);
    const [, code = ''] = /<code>([0-9a-z-]{19})<\/code>/.exec(text) ?? [];
    const again = new FormData();
    again.set('code', code);
    const receipt = await fetch(client.target.url + drop.path, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: again,
    });
    expect(
      ((await receipt.json()) as { files: { name: string }[] }).files
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['empty.txt', 'folder/<b>two.txt', 'one.txt']);
    expect((await keysOf(bucket)).filter((key) => key.startsWith('form/'))).toHaveLength(3);
    expect(await uploadsOf(bucket)).toBe(0);
  });
});
