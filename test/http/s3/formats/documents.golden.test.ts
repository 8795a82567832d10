// Every document that the S3 surface sends, compared with test/vectors/s3-documents, where a line
// break stands between tags for the eye. The scenario is fixed: clock, ids and owners are the
// tests' own. Change a golden by hand, and only after S3's own page says so.
import { beforeAll, expect, it } from 'vitest';
import { contentMd5 } from '../kit/responses.ts';
import { createTestSurface, type Reply, type Sent } from '../kit/surface.ts';

const surface = createTestSurface();
const { send } = surface;
const B = '/golden-bucket';

async function ok(sent: Sent): Promise<Reply> {
  const reply = await send(sent);
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply;
}

async function expectGolden(name: string, sent: Sent, status = 200): Promise<void> {
  const reply = await send(sent);
  expect(reply.status, reply.text).toBe(status);
  expect(reply.headers['content-type']).toBe('application/xml');
  await expect(oneTagPerLine(named(reply.text))).toMatchFileSnapshot(
    `../../vectors/s3-documents/${name}.xml`,
  );
}

/**
 * Ids of uploads by a name of their own: how many ids the server drew before is no matter of a
 * document.
 */
const named = (xml: string) =>
  xml.replace(/<(Next)?UploadId(Marker)?>upload\d+</g, (tag) =>
    tag.replace(/upload\d+/, 'upload-id'),
  );

/** Before each opening tag and between two closing ones; an empty element stays in one piece. */
const oneTagPerLine = (xml: string) =>
  `${xml.replace(/><(?![/])/g, '>\n<').replace(/(<[/][^>]+>)(?=<[/])/g, '$1\n')}\n`;

const idOf = (reply: Reply) => /<UploadId>([^<]+)</.exec(reply.text)?.[1] ?? '';
const etagOf = (reply: Reply) => reply.headers.etag ?? '';

let upload = '';
beforeAll(async () => {
  await ok({ method: 'PUT', path: B });
  await ok({ method: 'PUT', path: '/golden-public', headers: { 'x-amz-acl': 'public-read' } });
  const keys = ['a&b<c>', 'photos/2026/a b.jpg', 'photos/2027/+é.jpg', 'z\r\u0001'];
  for (const key of keys) await ok({ method: 'PUT', path: `${B}/${key}`, body: key });
  await ok({
    method: 'PUT',
    path: `${B}/checked`,
    body: 'hello',
    headers: { 'x-amz-checksum-sha256': 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=' },
  });
  surface.advanceMs(61_234);
  const started = await ok({
    method: 'POST',
    path: `${B}/multi part`,
    query: { uploads: '' },
    headers: { 'x-amz-checksum-algorithm': 'SHA256' },
  });
  upload = idOf(started);
  for (const partNumber of ['1', '3']) {
    await ok({
      method: 'PUT',
      path: `${B}/multi part`,
      query: { uploadId: upload, partNumber },
      body: `part ${partNumber}`,
    });
  }
});

it('the document of ListBuckets is as recorded', () => expectGolden('ListBuckets', { path: '/' }));
it('the document of ListBuckets, paged, is as recorded', () =>
  expectGolden('ListBuckets-paged', {
    path: '/',
    query: { prefix: 'golden-', 'max-buckets': '1' },
  }));
it('the document of GetBucketLocation is as recorded', () =>
  expectGolden('GetBucketLocation', { path: B, query: { location: '' } }));
it('the document of GetBucketEncryption is as recorded', async () => {
  const query = { encryption: '' };
  const standard =
    '<ApplyServerSideEncryptionByDefault><SSEAlgorithm>aws:kms</SSEAlgorithm>' +
    '<KMSMasterKeyID>alias/b</KMSMasterKeyID></ApplyServerSideEncryptionByDefault>';
  const blocked =
    '<BlockedEncryptionTypes><EncryptionType>SSE-C</EncryptionType></BlockedEncryptionTypes>';
  const body =
    `<ServerSideEncryptionConfiguration><Rule>${standard}<BucketKeyEnabled>true` +
    `</BucketKeyEnabled>${blocked}</Rule></ServerSideEncryptionConfiguration>`;
  await ok({ method: 'PUT', path: B, query, body });
  await expectGolden('GetBucketEncryption', { path: B, query });
  await ok({ method: 'DELETE', path: B, query });
});
it('the document of GetBucketVersioning is as recorded', () =>
  expectGolden('GetBucketVersioning', { path: B, query: { versioning: '' } }));
it('the document of GetBucketAcl is as recorded', () =>
  expectGolden('GetBucketAcl', { path: B, query: { acl: '' } }));
it('the document of GetBucketAcl of a public bucket is as recorded', () =>
  expectGolden('GetBucketAcl-public', { path: '/golden-public', query: { acl: '' } }));
it('the document of GetObjectAcl is as recorded', () =>
  expectGolden('GetObjectAcl', { path: `${B}/checked`, query: { acl: '' } }));

it('the document of ListObjects is as recorded', () => expectGolden('ListObjects', { path: B }));
it('the document of ListObjects, rolled up, encoded and cut, is as recorded', () =>
  expectGolden('ListObjects-rolled-up', {
    path: B,
    query: { delimiter: '/', prefix: '', 'max-keys': '3', marker: 'a b', 'encoding-type': 'url' },
  }));
it('the document of ListObjectsV2 is as recorded', () =>
  expectGolden('ListObjectsV2', { path: B, query: { 'list-type': '2' } }));
it('the document of ListObjectsV2 with everything is as recorded', () =>
  expectGolden('ListObjectsV2-everything', {
    path: B,
    query: {
      'list-type': '2',
      prefix: 'photos/',
      delimiter: '/',
      'max-keys': '1',
      'start-after': 'photos/ +',
      'encoding-type': 'url',
      'fetch-owner': 'true',
    },
  }));

it('the document of GetObjectAttributes is as recorded', () =>
  expectGolden('GetObjectAttributes', {
    path: `${B}/checked`,
    query: { attributes: '' },
    headers: { 'x-amz-object-attributes': 'ETag,Checksum,ObjectParts,StorageClass,ObjectSize' },
  }));

it('the document of CopyObject is as recorded', () =>
  expectGolden('CopyObject', {
    method: 'PUT',
    path: '/golden-public/copy',
    headers: { 'x-amz-copy-source': `${B}/checked` },
  }));

it('the document of CreateMultipartUpload is as recorded', () =>
  expectGolden('CreateMultipartUpload', {
    method: 'POST',
    path: '/golden-public/key',
    query: { uploads: '' },
  }));
it('the document of ListMultipartUploads is as recorded', () =>
  expectGolden('ListMultipartUploads', { path: B, query: { uploads: '' } }));
it('the document of ListMultipartUploads, cut, is as recorded', () =>
  expectGolden('ListMultipartUploads-cut', {
    path: B,
    query: {
      uploads: '',
      prefix: 'm',
      delimiter: '/',
      'max-uploads': '1',
      'encoding-type': 'url',
      'key-marker': 'a b',
    },
  }));
it('the document of ListParts is as recorded', () =>
  expectGolden('ListParts', { path: `${B}/multi part`, query: { uploadId: upload } }));
it('the document of ListParts, cut, is as recorded', () =>
  expectGolden('ListParts-cut', {
    path: `${B}/multi part`,
    query: { uploadId: upload, 'max-parts': '1', 'encoding-type': 'url' },
  }));
it('the document of UploadPartCopy is as recorded', () =>
  expectGolden('UploadPartCopy', {
    method: 'PUT',
    path: `${B}/multi part`,
    query: { uploadId: upload, partNumber: '9' },
    headers: { 'x-amz-copy-source': `${B}/checked`, 'x-amz-copy-source-range': 'bytes=1-3' },
  }));
it('the document of CompleteMultipartUpload, then its attributes, is as recorded', async () => {
  const part = await ok({
    method: 'PUT',
    path: `${B}/multi part`,
    query: { uploadId: upload, partNumber: '2' },
    body: 'the only one',
  });
  await expectGolden('CompleteMultipartUpload', {
    method: 'POST',
    path: `${B}/multi part`,
    query: { uploadId: upload },
    body:
      `<CompleteMultipartUpload><Part><PartNumber>2</PartNumber><ETag>${etagOf(part)}</ETag>` +
      '</Part></CompleteMultipartUpload>',
  });
  await expectGolden('GetObjectAttributes-parts', {
    path: `${B}/multi part`,
    query: { attributes: '' },
    headers: { 'x-amz-object-attributes': 'ETag,Checksum,ObjectParts,StorageClass,ObjectSize' },
  });
});

it('the document of DeleteObjects is as recorded', () => {
  const body =
    '<Delete><Object><Key>a&amp;b&lt;c&gt;</Key></Object><Object><Key>missing</Key>' +
    '<VersionId>null</VersionId></Object>' +
    '<Object><Key>checked</Key><VersionId>abc</VersionId></Object>' +
    '<Object><Key>checked</Key><ETag>"no"</ETag></Object></Delete>';
  return expectGolden('DeleteObjects', {
    method: 'POST',
    path: B,
    query: { delete: '' },
    body,
    headers: { 'content-md5': contentMd5(body) },
  });
});

it('the document of GetBucketNotificationConfiguration is as recorded', async () => {
  const filter =
    '<Filter><S3Key><FilterRule><Name>suffix</Name><Value>.jpg</Value></FilterRule></S3Key>' +
    '</Filter>';
  await ok({
    method: 'PUT',
    path: B,
    query: { notification: '' },
    headers: { 'x-amz-skip-destination-validation': 'true' },
    body: `<NotificationConfiguration>
      <CloudFunctionConfiguration><Id>all</Id>
        <CloudFunction>arn:quayside:webhook:::wh_0123456789</CloudFunction>
        <Event>s3:ObjectRemoved:*</Event><Event>s3:ObjectTagging:Put</Event>
      </CloudFunctionConfiguration>
      <QueueConfiguration><Id>pictures</Id>
        <Queue>arn:aws:sqs:us-east-1:123456789012:wh_0123456789</Queue>
        <Event>s3:ObjectCreated:*</Event>${filter}</QueueConfiguration>
    </NotificationConfiguration>`,
  });
  await expectGolden('GetBucketNotificationConfiguration', {
    path: B,
    query: { notification: '' },
  });
});

it('the document of Error is as recorded', () =>
  expectGolden('Error', { path: `${B}/missing <key>` }, 404));
it('the document of Error of what is missing is as recorded', () =>
  expectGolden('Error-NotImplemented', { path: B, query: { replication: '' } }, 501));
