// Whose forms are taken: the policy of a form, its signature in both ways, the bounds of its file.
import { createHmac } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { expectOutcome } from '../kit/refusals.ts';
import { ACCESS_KEY_ID, SECRET, signText } from '../kit/sign-for-test.ts';
import { createTestSurface } from '../kit/surface.ts';

const surface = createTestSurface();
const BUCKET = '/bucket';
/** Stands for the name of the file. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the form's own syntax.
const FILE_NAME = '${filename}';

beforeAll(async () => {
  expect((await surface.send({ method: 'PUT', path: BUCKET })).status).toBe(200);
});

const field = (name: string, value: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

const NOW = '2013-05-24T00:10:00Z';
const policyOf = (conditions: readonly unknown[]) =>
  Buffer.from(JSON.stringify({ expiration: NOW, conditions })).toString('base64');
const anything = ['key', 'bucket', 'tagging', 'x-amz-date'].map((name) => [
  'starts-with',
  `$${name}`,
  '',
]);
const signed = (policy: string): Readonly<Record<string, string>> => ({
  awsaccesskeyid: ACCESS_KEY_ID,
  policy,
  signature: createHmac('sha1', SECRET).update(policy).digest('base64'),
});
const V4 = {
  'x-amz-algorithm': 'AWS4-HMAC-SHA256',
  'x-amz-credential': `${ACCESS_KEY_ID}/20130524/us-east-1/s3/aws4_request`,
  'x-amz-date': '20130524T000000Z',
};
const newer = (fields: Readonly<Record<string, string>>) => {
  const policy = policyOf([...anything, ...Object.keys(V4).map((name) => any(name))]);
  return { policy, 'x-amz-signature': signText(policy), ...V4, ...fields };
};
const any = (name: string) => ['starts-with', `$${name}`, ''];
const ok = signed(policyOf(anything));
const sized = (least: number, most: number) =>
  signed(policyOf([...anything, ['content-length-range', least, most]]));
const tags = (name: string) =>
  `<Tagging><TagSet><Tag><Key>${name}</Key><Value>v</Value></Tag></TagSet></Tagging>`;

it.each<readonly [string, Readonly<Record<string, string>>, string]>([
  ['that is signed is taken', ok, '204'],
  ['that is signed anew is taken', newer({}), '204'],
  ['of nobody is refused', {}, 'AccessDenied'],
  ['for another bucket is refused', { ...ok, bucket: 'plain' }, 'AccessDenied: The field bucket'],
  ['that names its bucket is taken', { ...ok, bucket: 'bucket' }, '204'],
  [
    'whose key grows too long by the file’s name is refused',
    { ...ok, key: FILE_NAME.repeat(1800) },
    'MaxPostPreDataLengthExceededError',
  ],
  ['of an unknown key is refused', { ...ok, awsaccesskeyid: 'A'.repeat(20) }, 'InvalidAccessKeyId'],
  ['without a key is refused', { policy: policyOf([]), signature: 'x' }, 'InvalidArgument: Bucket'],
  ['without a signature is refused', { ...ok, signature: '' }, 'SignatureDoesNotMatch'],
  ['that somebody changed is refused', { ...ok, policy: policyOf([]) }, 'SignatureDoesNotMatch'],
  [
    'that somebody changed after it was signed anew is refused',
    newer({ policy: policyOf([]) }),
    'SignatureDoesNotMatch',
  ],
  [
    'of an unknown algorithm is refused',
    newer({ 'x-amz-algorithm': 'AWS4-HMAC-MD5' }),
    'InvalidArgument: X-Amz-Algorithm only supports',
  ],
  [
    'of an odd credential is refused',
    newer({ 'x-amz-credential': 'AKIA/2013' }),
    'InvalidArgument: Error parsing X-Amz-Credential',
  ],
  ['whose policy is no JSON is refused', signed('e'), 'InvalidPolicyDocument'],
  [
    'whose policy is no Base64 is refused',
    signed('*'),
    'InvalidPolicyDocument: Invalid Policy: it must be Base64',
  ],
  ['of as many bytes as it may have is taken', sized(4, 4), '204'],
  ['of more bytes is refused', sized(0, 3), 'EntityTooLarge'],
  ['of less bytes is refused', sized(5, 9), 'EntityTooSmall'],
  ['with tags is taken', { ...ok, tagging: tags('t') }, '204'],
  ['with a tag of AWS’s own is refused', { ...ok, tagging: tags('aws:t') }, 'InvalidTag'],
])('a form %s', async (_title, fields, expected) => {
  const parts = Object.entries({ key: 'form', ...fields }).map(([name, value]) =>
    field(name, value),
  );
  const file = `--x\r\nContent-Disposition: form-data; name="file"; filename="${'f'.repeat(12)}"`;
  const reply = await surface.send({
    method: 'POST',
    path: BUCKET,
    as: 'nobody',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: `${parts.join('')}${file}\r\n\r\nbody\r\n--x--\r\n`,
  });
  expectOutcome(reply, expected);
});
