// Every header and every note of a day's requests, as they were recorded. Clock, ids and owners are
// the tests' own. Change the record by hand, and only where the change is meant.
import { expect, it } from 'vitest';
import { type Recorded, recordOf } from '../recorded-responses.ts';
import { contentMd5, one } from './kit/responses.ts';
import { createTestSurface, OWNER, type Reply, type Sent, STRANGER } from './kit/surface.ts';

const { send } = createTestSurface();
const B = '/bucket';
const CUSTOMER_KEY = Buffer.alloc(32, 7);
const CUSTOMER = {
  'x-amz-server-side-encryption-customer-algorithm': 'AES256',
  'x-amz-server-side-encryption-customer-key': CUSTOMER_KEY.toString('base64'),
  'x-amz-server-side-encryption-customer-key-md5': contentMd5(CUSTOMER_KEY),
};
const CORS =
  '<CORSConfiguration><CORSRule><AllowedOrigin>https://app.example</AllowedOrigin>' +
  '<AllowedMethod>GET</AllowedMethod><ExposeHeader>etag</ExposeHeader>' +
  '<MaxAgeSeconds>60</MaxAgeSeconds></CORSRule></CORSConfiguration>';
const TAGS = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
const POLICY = JSON.stringify({
  Version: '2012-10-17',
  Statement: {
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: 'arn:aws:s3:::bucket/open/*',
  },
});

const recorded: Recorded[] = [];

async function record(method: string, path: string, more: Partial<Sent> = {}): Promise<Reply> {
  const query = Object.entries(more.query ?? {}).map(([name, value]) =>
    value === '' ? name : `${name}=${value}`,
  );
  const reply = await send({ method, path, ...more });
  const as = more.as === undefined ? '' : ` as ${more.as}`;
  const asked = `${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  // The etag of what a client's key protects is drawn.
  const headers = path.endsWith('/keyed') ? { ...reply.headers, etag: 'drawn' } : reply.headers;
  recorded.push({ title: `${method} ${asked}${as}`, ...reply, headers });
  return reply;
}

const document = (name: string, text: string): Partial<Sent> => ({
  query: { [name]: '' },
  body: text,
  headers: { 'content-md5': contentMd5(text) },
});

it('a day’s requests get the headers and notes that were recorded', async () => {
  await record('PUT', B);
  await record('PUT', `${B}/plain`, {
    body: 'hello',
    headers: {
      'content-type': 'text/plain',
      'cache-control': 'max-age=60',
      'content-language': 'en',
      expires: 'Fri, 24 May 2013 01:00:00 GMT',
      'x-amz-meta-colour': 'blue',
      'x-amz-tagging': 'a=b',
      'x-amz-checksum-sha256': 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
    },
  });
  const { headers } = await record('HEAD', `${B}/plain`);
  await record('GET', `${B}/plain`);
  await record('GET', `${B}/plain`, { headers: { 'x-amz-checksum-mode': 'ENABLED' } });
  await record('GET', `${B}/plain`, { headers: { range: 'bytes=1-3' } });
  await record('GET', `${B}/plain`, { headers: { range: 'bytes=9-' } });
  await record('GET', `${B}/plain`, { query: { partNumber: '1' } });
  await record('GET', `${B}/plain`, { query: { 'response-content-type': 'text/html' } });
  await record('GET', `${B}/plain`, { headers: { 'if-none-match': headers.etag ?? '' } });
  await record('GET', `${B}/plain`, { headers: { 'if-match': '"0"' } });
  await record('GET', `${B}/missing`);
  await record('HEAD', `${B}/missing`);
  await record('GET', `${B}/plain`, { as: 'stranger' });
  await record('GET', `${B}/plain`, { as: 'nobody' });
  await record('GET', '/missing');
  await record('GET', `${B}/plain`, { query: { attributes: '' } });
  await record('GET', `${B}/plain`, {
    query: { attributes: '' },
    headers: { 'x-amz-object-attributes': 'ETag,ObjectSize,Checksum,StorageClass' },
  });
  await record('PUT', `${B}/copy`, { headers: { 'x-amz-copy-source': `${B}/plain` } });
  await record('PUT', `${B}/cold`, {
    body: 'x'.repeat(40),
    headers: { 'x-amz-storage-class': 'STANDARD_IA' },
  });
  await record('GET', `${B}/cold`);
  await record('PUT', `${B}/sealed`, {
    body: 'secret of the server',
    headers: { 'x-amz-server-side-encryption': 'AES256' },
  });
  await record('GET', `${B}/sealed`);
  await record('PUT', `${B}/keyed`, { body: 'secret of a client', headers: CUSTOMER });
  await record('GET', `${B}/keyed`, { headers: CUSTOMER });
  await record('GET', `${B}/keyed`);
  await record('PUT', `${B}/plain`, document('tagging', TAGS));
  await record('GET', `${B}/plain`, { query: { tagging: '' } });
  await record('GET', `${B}/plain`, { query: { acl: '' } });
  await record('DELETE', `${B}/plain`, { query: { tagging: '' } });

  const begun = await record('POST', `${B}/parts`, { query: { uploads: '' } });
  const uploadId = one(begun.text, 'UploadId') ?? '';
  const part = { query: { partNumber: '1', uploadId }, body: 'y'.repeat(30) };
  const { headers: ofPart } = await record('PUT', `${B}/parts`, part);
  await record('PUT', `${B}/parts`, {
    query: { partNumber: '2', uploadId },
    headers: { 'x-amz-copy-source': `${B}/cold`, 'x-amz-copy-source-range': 'bytes=0-9' },
  });
  await record('GET', `${B}/parts`, { query: { uploadId } });
  await record('GET', B, { query: { uploads: '' } });
  const complete =
    '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>' +
    `<ETag>${ofPart.etag}</ETag></Part></CompleteMultipartUpload>`;
  await record('POST', `${B}/parts`, { query: { uploadId }, body: complete });
  await record('GET', `${B}/parts`, { query: { partNumber: '1' } });
  await record('DELETE', `${B}/parts`, { query: { uploadId } });

  await record('GET', B);
  await record('GET', B, { query: { 'list-type': '2' } });
  await record('GET', B, { query: { versions: '' } });
  await record('HEAD', B);
  await record('GET', B, { query: { location: '' } });
  await record('PUT', B, document('cors', CORS));
  const origin = { origin: 'https://app.example' };
  await record('GET', `${B}/plain`, { headers: origin });
  await record('OPTIONS', `${B}/plain`, {
    as: 'nobody',
    headers: { ...origin, 'access-control-request-method': 'GET' },
  });
  await record('OPTIONS', `${B}/plain`, {
    as: 'nobody',
    headers: { ...origin, 'access-control-request-method': 'PUT' },
  });
  const enabled = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
  await record('PUT', B, document('versioning', enabled));
  await record('PUT', `${B}/plain`, { body: 'again' });
  await record('DELETE', `${B}/plain`);
  await record('GET', `${B}/plain`);
  await record('DELETE', `${B}/plain`, { query: { versionId: 'null' } });
  const objects = '<Delete><Object><Key>copy</Key></Object><Object><Key>z</Key></Object></Delete>';
  await record('POST', B, document('delete', objects));
  await record('PUT', B, document('policy', POLICY));
  await record('GET', B, { query: { policy: '' } });
  await record('PUT', B, document('policy', '{'));
  await record('GET', '/');
  await record('GET', B, { query: { accelerate: '' } });
  await record('DELETE', B);
  await record('PUT', B, { headers: { 'x-amz-expected-bucket-owner': OWNER.id } });
  await record('GET', B, { headers: { 'x-amz-expected-bucket-owner': 'somebody' } });

  const text = recordOf(recorded).replaceAll(OWNER.id, 'owner').replaceAll(STRANGER.id, 'stranger');
  await expect(text).toMatchFileSnapshot('../../vectors/responses/s3.txt');
});
