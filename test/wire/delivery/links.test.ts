// Presigned URLs as download links: what is changed, made private or revoked is seen by the next
// reader on Node, and elsewhere within the bound of the platform.
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import type { Call } from '../kit/clients/client.ts';
import { exchange, type Reply } from '../kit/clients/http.ts';
import { tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore, itUnless } from '../kit/clients/suite.ts';
import { eventually } from '../kit/eventually.ts';

const { send, target } = client;
const { other } = target;

/** A reader of a link, who asks again and again. */
function payerOfRead(call: Call): () => Promise<Reply> {
  const link = client.presigned(call);
  return () =>
    exchange(target.url, { method: call.method, target: link, headers: { host: client.host } });
}

async function expectSoon(read: () => Promise<Reply>, expected: number | string): Promise<void> {
  const seen = ({ status, text }: Reply) => (typeof expected === 'number' ? status : text);
  expect(
    seen(
      await eventually(read, (reply) => {
        if (seen(reply) === expected) return true;
        // Nothing but the past or the present is ever shown.
        expect(reply.status).toBe(200);
        return false;
      }),
    ),
  ).toBe(expected);
}

const itWithOther = itUnless(other === null ? 'the target has no second account' : null);

describeCore('links', () => {
  const bucket = useBucket(client);
  const asOther = { accessKey: other?.accessKey ?? '', secretKey: other?.secretKey ?? '' };

  it.each([10, 100_000])(
    'show what was written, overwritten and deleted, of %i bytes',
    async (size) => {
      const key = `link-${size}`;
      const read = payerOfRead({ method: 'GET', bucket, key });
      expect((await read()).status).toBe(404);
      for (const letter of ['a', 'b', 'c']) {
        const body = letter.repeat(size);
        await send({ method: 'PUT', bucket, key, body });
        if (letter === 'a') expect((await read()).text).toBe(body);
        await expectSoon(read, body);
        // Who signs the header sees his own write at once, on every platform.
        expect((await send({ method: 'GET', bucket, key })).text).toBe(body);
      }
      await send({ method: 'DELETE', bucket, key });
      await expectSoon(read, 404);
      expect((await send({ method: 'GET', bucket, key })).status).toBe(404);
    },
  );

  itWithOther('of another account end with the policy that let it read', async () => {
    await send({ method: 'PUT', bucket, key: 'by-policy', body: 'x' });
    const statement = {
      Effect: 'Allow',
      Principal: { AWS: `arn:aws:iam::${other?.accountId}:root` },
      Action: 's3:GetObject',
      Resource: `arn:aws:s3:::${bucket}/by-policy`,
    };
    const policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    await send({ method: 'PUT', bucket, query: { policy: '' }, body: policy });
    const read = payerOfRead({ method: 'GET', bucket, key: 'by-policy', signer: asOther });
    await eventually(read, ({ status }) => status === 200);
    expect((await read()).status).toBe(200);
    expect((await send({ method: 'DELETE', bucket, query: { policy: '' } })).status).toBe(204);
    await expectSoon(read, 403);
  });

  itWithOther('of another account end when the object is made private', async () => {
    const key = 'by-list';
    await send({ method: 'PUT', bucket, key, body: 'x', headers: { 'x-amz-acl': 'public-read' } });
    const read = payerOfRead({ method: 'GET', bucket, key, signer: asOther });
    expect((await read()).status).toBe(200);
    const closed = await send({
      method: 'PUT',
      bucket,
      key,
      query: { acl: '' },
      headers: { 'x-amz-acl': 'private' },
    });
    expect(closed.status).toBe(200);
    await expectSoon(read, 403);
  });

  it('end with the access key that made them', async () => {
    await send({ method: 'PUT', bucket, key: 'by-key', body: 'x' });
    const owner = await tokenClient(client);
    const made = await owner.call('POST', '/access-keys', { name: 'links', scope: null });
    const signer = { accessKey: made.json.id, secretKey: made.json.secretAccessKey };
    const read = payerOfRead({ method: 'GET', bucket, key: 'by-key', signer });
    expect((await read()).status).toBe(200);
    expect((await owner.call('DELETE', `/access-keys/${made.json.id}`)).status).toBe(204);
    await expectSoon(read, 403);
  });
});
