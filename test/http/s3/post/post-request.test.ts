import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { openPostedForm } from '../../../../src/http/s3/post/post-request.ts';
import { account } from '../kit/authenticate-kit.ts';
import { makeRequest } from '../kit/make-request.ts';
import { failing } from '../kit/responses.ts';
import { ACCESS_KEY_ID, NOW_MS, SECRET } from '../kit/sign-for-test.ts';

const POLICY = Buffer.from(
  JSON.stringify({
    expiration: new Date(NOW_MS + 1000).toISOString(),
    conditions: [{ key: 'k' }, { bucket: 'b' }],
  }),
).toString('base64');

/** A form whose policy is signed by Signature Version 2. */
function open(isSignatureV2On: boolean) {
  const signature = createHmac('sha1', SECRET).update(POLICY).digest('base64');
  const fields = { key: 'k', AWSAccessKeyId: ACCESS_KEY_ID, policy: POLICY, signature, file: 'x' };
  const parts = Object.entries(fields).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const body = [Buffer.from(`${parts.join('')}--x--\r\n`)];
  const request = makeRequest({ method: 'POST', target: '/b', headers, body });
  const findAccessKey = () => ({ id: ACCESS_KEY_ID as never, secret: SECRET, account });
  return openPostedForm(request, request.body(), 'b', {
    findAccessKey,
    nowMs: () => NOW_MS,
    isSignatureV2On,
  });
}

it('a form may be signed by Signature Version 2, unless the operator refuses that', async () => {
  expect(await open(true)).toMatchObject({ key: 'k', signatureVersion: 'AWS' });
  await expect(open(false)).rejects.toEqual(failing('InvalidRequest'));
});
