// Requests that make an object are billed by the class of what they made, whichever way it was
// said.
import { expect, it } from 'vitest';
import type { AccessKeyId } from '../../../src/domain/nouns.ts';
import { presignUrl } from '../../../src/http/s3/signature/presign.ts';
import { drainedRows } from './kit/drained-rows.ts';
import { ACCESS_KEY_ID, NOW_MS, SECRET } from './kit/sign-for-test.ts';
import { createTestSurface } from './kit/surface.ts';

const CLASS = 'x-amz-storage-class';
const COLD = { [CLASS]: 'STANDARD_IA' };

async function createWorld() {
  const surface = createTestSurface();
  await surface.send({ method: 'PUT', path: '/bkt' });
  const classes = () =>
    surface.meter
      .drain(() => true)
      .flatMap(({ counts }) =>
        [...counts].flatMap(([name, { classA }]) => (classA > 0 ? name : [])),
      );
  classes();
  return { surface, classes };
}

const FORM =
  '--x\r\ncontent-disposition: form-data; name="key"\r\n\r\nk\r\n' +
  `--x\r\ncontent-disposition: form-data; name="${CLASS}"\r\n\r\nSTANDARD_IA\r\n` +
  '--x\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nbytes\r\n--x--\r\n';

it('a write counts by the class of a header, of a presigned URL or of a form', async () => {
  const { surface, classes } = await createWorld();
  expect((await surface.send({ method: 'PUT', path: '/bkt/k', headers: COLD })).status).toBe(200);
  expect(classes()).toEqual(['STANDARD_IA']);

  const url = presignUrl(
    { id: ACCESS_KEY_ID as AccessKeyId, secret: SECRET },
    {
      ...{ method: 'PUT', origin: 'https://storage.example', bucket: 'bkt', key: 'k' },
      query: COLD,
      headers: {},
      expiresSeconds: 60,
    },
    { nowMs: NOW_MS, region: 'auto' },
  );
  const query = Object.fromEntries(new URL(url).searchParams);
  expect((await surface.send({ method: 'PUT', path: '/bkt/k', query, as: 'nobody' })).status).toBe(
    200,
  );
  expect(classes()).toEqual(['STANDARD_IA']);

  const policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: '*', Action: 's3:PutObject', Resource: 'arn:aws:s3:::bkt/*' },
    ],
  });
  expect(
    (await surface.send({ method: 'PUT', path: '/bkt', query: { policy: '' }, body: policy }))
      .status,
  ).toBe(204);
  classes();
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const posted = await surface.send({
    method: 'POST',
    path: '/bkt',
    headers,
    body: FORM,
    as: 'nobody',
  });
  expect(posted.status).toBe(204);
  expect(classes()).toEqual(['STANDARD_IA']);
});

it('a copy and an upload in parts count by their class too', async () => {
  const { surface, classes } = await createWorld();
  await surface.send({ method: 'PUT', path: '/bkt/k', body: 'bytes' });
  classes();
  const copy = { ...COLD, 'x-amz-copy-source': '/bkt/k' };
  expect((await surface.send({ method: 'PUT', path: '/bkt/copy', headers: copy })).status).toBe(
    200,
  );
  expect(classes()).toEqual(['STANDARD_IA']);
  const started = { method: 'POST', path: '/bkt/parts', query: { uploads: '' }, headers: COLD };
  expect((await surface.send(started)).status).toBe(200);
  expect(classes()).toEqual(['STANDARD_IA']);
});

it('a request that reads or changes an object counts by the class of the object', async () => {
  const { surface } = await createWorld();
  await surface.send({ method: 'PUT', path: '/bkt/k', headers: COLD });
  drainedRows(surface);
  const attributes = { 'x-amz-object-attributes': 'ETag' };
  const body = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
  for (const sent of [
    { query: { attributes: '' }, headers: attributes },
    { query: { tagging: '' } },
    { method: 'PUT', query: { tagging: '' }, body },
    { method: 'HEAD' },
  ]) {
    expect((await surface.send({ path: '/bkt/k', ...sent })).status).toBe(200);
  }
  const rows = drainedRows(surface);
  const operations = Object.entries(rows).filter(([meter]) => /^(class|free)/.test(meter));
  expect(operations.filter(([meter]) => !meter.endsWith('/STANDARD_IA'))).toEqual([]);
  expect(operations.reduce((sum, [, count]) => sum + count, 0n)).toBe(4n);
});
