// What a form upload is answered with: what its own fields request, and 204 where they request
// nothing that can be done.
import { beforeAll, expect, it } from 'vitest';
import { createTestSurface } from '../../kit/surface.ts';

const { send } = createTestSurface();
const PAGE = 'https://example.com/done';
const STORED = 'bucket=forms&key=k&etag=%22841a2d689ad86bd1611447453c22c6fc%22';
const LOCATION = 'http://storage.example/forms/k';

beforeAll(() =>
  send({ method: 'PUT', path: '/forms', headers: { 'x-amz-acl': 'public-read-write' } }),
);

/** Sends a form of nobody with a file of four bytes. */
function post(fields: Readonly<Record<string, string>>) {
  const parts = Object.entries({ key: 'k', ...fields, file: 'body' }).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const body = `${parts.join('')}--x--\r\n`;
  return send({ method: 'POST', path: '/forms', headers, body, as: 'nobody' });
}

it.each([
  [{}, 204, LOCATION, undefined],
  [{ success_action_status: '200' }, 200, LOCATION, '0'],
  [{ success_action_status: '204' }, 204, LOCATION, undefined],
  [{ success_action_status: '301' }, 204, LOCATION, undefined],
  [{ success_action_redirect: PAGE }, 303, `${PAGE}?${STORED}`, '0'],
  [{ redirect: PAGE }, 303, `${PAGE}?${STORED}`, '0'],
  [{ success_action_redirect: PAGE, success_action_status: '201' }, 303, `${PAGE}?${STORED}`, '0'],
  [{ success_action_redirect: 'javascript:alert(1)' }, 204, LOCATION, undefined],
  [{ success_action_redirect: '/done', success_action_status: '200' }, 200, LOCATION, '0'],
] as const)('the response to %j is as asked', async (fields, status, location, contentLength) => {
  const reply = await post(fields);
  expect([reply.status, reply.headers.location, reply.headers['content-length']]).toEqual([
    status,
    location,
    contentLength,
  ]);
  expect(reply.text).toBe('');
  expect(reply.headers.etag).toBe('"841a2d689ad86bd1611447453c22c6fc"');
});

it('a form that requests 201 gets a document of what was stored', async () => {
  const reply = await post({ success_action_status: '201', success_action_redirect: '/done' });
  expect([reply.status, reply.headers.location]).toEqual([201, LOCATION]);
  expect(reply.headers['content-type']).toBe('application/xml');
  expect(reply.text).toContain(
    `<PostResponse><Location>${LOCATION}</Location><Bucket>forms</Bucket><Key>k</Key>`,
  );
});

it('a form can say who may read what it stores', async () => {
  const read = () => send({ path: '/forms/k', as: 'stranger' });
  await post({});
  expect((await read()).status).toBe(403);
  await post({ acl: 'public-read' });
  expect(await read()).toMatchObject({ status: 200, text: 'body' });
});
