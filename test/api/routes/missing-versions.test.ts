// What the API says of objects and versions that are not there, and of delete markers; and which
// version a download is led to.
import { expect, it } from 'vitest';
import { startMemoryApi } from '../memory-api.ts';

const { send } = await startMemoryApi();
const BUCKET = '/buckets/fuzz-bucket-one';
const headers = { 'content-type': 'application/json', 'if-match': '*' };

async function codeOf(method: string, query: string): Promise<unknown[]> {
  const { status, json } = await send({
    method,
    path: `${BUCKET}/object?${query}`,
    headers: {},
    body: null,
  });
  return [status, json.code];
}

it('a missing key, a missing version and a delete marker are different errors', async () => {
  await send({
    method: 'PATCH',
    path: BUCKET,
    headers,
    body: JSON.stringify({ versioning: 'enabled' }),
  });
  const path = `${BUCKET}/object?key=note.txt`;
  const { json } = await send({ method: 'DELETE', path, headers: {}, body: null });
  expect(await codeOf('GET', 'key=note.txt')).toEqual([404, 'NoSuchKey']);
  expect(await codeOf('GET', `key=note.txt&versionId=${json.deleteMarkerId}`)).toEqual([
    405,
    'MethodNotAllowed',
  ]);
  expect(await codeOf('GET', 'key=photos/1.jpg')).toEqual([200, undefined]);
  expect(await codeOf('GET', `key=photos/1.jpg&versionId=${json.deleteMarkerId}`)).toEqual([
    404,
    'NoSuchVersion',
  ]);
});

it.each([
  ['key=photos/1.jpg', null],
  ['key=photos/1.jpg&versionId=null', 'null'],
])('a download of %s is led to the version %s', async (query, versionId) => {
  const path = `${BUCKET}/content?${query}`;
  const { status, headers: sent } = await send({ method: 'GET', path, headers: {}, body: null });
  expect(status).toBe(307);
  const location = new URL(sent.get('location') ?? '');
  expect(location.searchParams.get('versionId')).toBe(versionId);
});
