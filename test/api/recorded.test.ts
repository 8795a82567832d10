// Every header and every note of some requests of the JSON API, as they were recorded. Change the
// record by hand, and only where the change is meant.
import { expect, it } from 'vitest';
import { type Recorded, recordOf } from '../http/recorded-responses.ts';
import { startMemoryApi } from './memory-api.ts';

it('requests of the API get the headers and notes that were recorded', async () => {
  const api = await startMemoryApi();
  const recorded: Recorded[] = [];
  async function record(
    method: string,
    path: string,
    body: object | null = null,
    headers: Readonly<Record<string, string>> = {},
    authorization?: string,
  ) {
    const text = body === null ? null : JSON.stringify(body);
    const type: Record<string, string> =
      text === null ? {} : { 'content-type': 'application/json' };
    const own = authorization === undefined ? undefined : { authorization };
    const reply = await api.send(
      { method, path, headers: { ...type, ...headers }, body: text },
      own,
    );
    const { status, notes = expect.fail('nothing was noted') } = reply;
    const { 'set-cookie': cookie, ...others } = Object.fromEntries(reply.headers);
    const shown = cookie === undefined ? others : { ...others, 'set-cookie': 'a cookie' };
    recorded.push({ title: `${method} ${path}`, status, headers: shown, notes });
    return reply;
  }
  const BUCKET = '/buckets/recorded';
  const any = { 'if-match': '*' };

  await record('POST', '/buckets', { name: 'recorded' });
  await record('POST', '/buckets', { name: 'recorded' });
  await record('POST', '/buckets', { name: 'twice' }, { 'idempotency-key': 'once' });
  await record('POST', '/buckets', { name: 'twice' }, { 'idempotency-key': 'once' });
  await record('POST', '/buckets', { name: 'other' }, { 'idempotency-key': 'once' });
  await record('POST', '/buckets', { name: 'x' }, { 'idempotency-key': ' ' });
  await record('POST', '/buckets', { nonsense: true });
  const { headers } = await record('GET', BUCKET);
  const etag = headers.get('etag') ?? '';
  await record('GET', BUCKET, null, { 'if-none-match': etag });
  await record('PATCH', BUCKET, { versioning: 'enabled' });
  await record('PATCH', BUCKET, { versioning: 'enabled' }, { 'if-match': '"another"' });
  await record('PATCH', BUCKET, { versioning: 'enabled' }, { 'if-match': etag });
  await record('PATCH', BUCKET, { tags: { a: 'b' } }, { ...any, 'quayside-fresh-by': '1' });
  await record('GET', '/buckets/missing');
  await record('GET', '/buckets/Bad_Name');
  await record('GET', '/buckets/fuzz-bucket-one/objects');
  await record('HEAD', '/buckets/fuzz-bucket-one/objects');
  await record('GET', '/buckets/fuzz-bucket-one/object?key=note.txt');
  await record('GET', '/buckets/fuzz-bucket-one/object?key=missing');
  await record('GET', '/nothing');
  await record('OPTIONS', BUCKET);
  await record('PUT', '/buckets');
  await record('GET', '/buckets', null, {}, 'Bearer nonsense');
  await record('POST', '/sessions', { accessKeyId: 'a', secretAccessKey: 'b' }, {}, '');
  await record('GET', '/session');
  await record('DELETE', BUCKET, null, any);
  await record('DELETE', BUCKET, null, any);

  // Behind a bucket's name stands a part that is drawn.
  const text = recordOf(recorded)
    .replace(/~[0-9a-z]{20,}/g, '~id')
    .replaceAll(/\b0{63}1\b/g, 'root');
  await expect(text).toMatchFileSnapshot('../vectors/responses/api.txt');
});
