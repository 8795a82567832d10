// No operation that changes something answers before its commit, nor as if a commit that failed had
// taken place. Driven by the table of operations: a new one that changes something needs an example
// here. Each command of an example is held and failed in its turn.
import { expect, it } from 'vitest';
import type { OperationName } from '../../../src/http/s3/call/detect.ts';
import { OPERATIONS } from '../../../src/http/s3/operations/table/operations.ts';
import { createCommitBarrier, failEachCommand } from '../../core/commit-barrier.ts';
import { contentMd5 } from './kit/responses.ts';
import { createTestSurface, OWNER, type Reply, type Sent } from './kit/surface.ts';

const barrier = createCommitBarrier();
const surface = createTestSurface({ ports: barrier.wrap });

type Place = {
  /** A bucket of its own, with an object `k` in it. */
  readonly bucket: string;
  readonly path: string;
  /** Sends what the example needs before, past the read policy. */
  ok(sent: Partial<Sent>): Promise<Reply>;
};
type Example = (place: Place) => Sent | Promise<Sent>;

const READS = /^(?:Get|Head|List)/;
/** Operations that change nothing, whatever their method. */
const ALSO_READ: ReadonlySet<string> = new Set([
  'DownloadZip',
  'DryRunBucketLifecycle',
  'RestoreObject',
]);

/** A document put to the bucket under that name. */
const put =
  (name: string, body: string, headers: Record<string, string> = {}): Example =>
  ({ path }) => ({
    method: 'PUT',
    path,
    query: { [name]: '' },
    body,
    headers: { 'content-md5': contentMd5(body), ...headers },
  });

/** What stands under that name is taken away; it is put there before. */
const remove =
  (name: string, body: string): Example =>
  async (place) => {
    await place.ok(await put(name, body)(place));
    return { method: 'DELETE', path: place.path, query: { [name]: '' } };
  };

const onObject =
  (
    method: string,
    name: string,
    body: string,
    before?: (place: Place) => Promise<unknown>,
  ): Example =>
  async (place) => {
    await before?.(place);
    return {
      method,
      path: `${place.path}/k`,
      query: { [name]: '' },
      body,
      headers: { 'content-md5': contentMd5(body) },
    };
  };

const ruleOf = (inner: string) =>
  `<Rule><ID>r</ID><Status>Enabled</Status><Filter/>${inner}</Rule>`;
const LIFECYCLE =
  `<LifecycleConfiguration>${ruleOf('<Expiration><Days>9</Days></Expiration>')}` +
  '</LifecycleConfiguration>';
const CORS =
  '<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*' +
  '</AllowedOrigin></CORSRule></CORSConfiguration>';
const TAGS = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
const BLOCK =
  '<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls>' +
  '</PublicAccessBlockConfiguration>';
const OWNERSHIP =
  '<OwnershipControls><Rule><ObjectOwnership>BucketOwnerPreferred</ObjectOwnership></Rule>' +
  '</OwnershipControls>';
const ENCRYPTION =
  '<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>' +
  '<SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule>' +
  '</ServerSideEncryptionConfiguration>';
const WEBSITE =
  '<WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument>' +
  '</WebsiteConfiguration>';
const VERSIONING = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
const LOCK =
  '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>' +
  '</ObjectLockConfiguration>';

const policyOf = ({ bucket }: Place, principal: object) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: principal,
        Action: 's3:PutObject',
        Resource: `arn:aws:s3:::${bucket}/*`,
      },
    ],
  });
const putPolicy: Example = (place) =>
  put('policy', policyOf(place, { AWS: `arn:aws:iam::${OWNER.id}:root` }))(place);
const withLock = async ({ ok }: Place) => {
  await ok({ method: 'PUT', query: { versioning: '' }, body: VERSIONING });
  await ok({ method: 'PUT', query: { 'object-lock': '' }, body: LOCK });
};
async function begunUpload({ path, ok }: Place): Promise<{ path: string; uploadId: string }> {
  const begun = await ok({ method: 'POST', path: `${path}/parts`, query: { uploads: '' } });
  return { path: `${path}/parts`, uploadId: /<UploadId>([^<]+)</.exec(begun.text)?.[1] ?? '' };
}
/** Names the key of an object that the server encrypts. */
const putUnderKey =
  (keyId: string): Example =>
  async ({ path, ok }) => {
    const headers = { 'x-amz-server-side-encryption': 'AES256' };
    await ok({ method: 'PUT', path: `${path}/encrypted`, body: BODY, headers });
    const body =
      `<ObjectEncryption><SSE-KMS><KMSKeyArn>${keyId}</KMSKeyArn></SSE-KMS>` +
      '</ObjectEncryption>';
    return { method: 'PUT', path: `${path}/encrypted`, query: { encryption: '' }, body };
  };
const BODY = 'more than sixteen bytes, so that there is a blob';

/** Examples by operation; one with several ways to its commit has one of each. */
const EXAMPLES: Partial<Record<OperationName, Example | readonly Example[]>> = {
  PutKmsKey: ({ bucket }) => ({
    method: 'POST',
    path: '/',
    query: { 'x-quayside-kms-keys': '' },
    body: JSON.stringify({ id: bucket }),
    as: 'operator',
  }),
  CreateBucket: ({ path }) => ({ method: 'PUT', path: `${path}-new` }),
  DeleteBucket: async ({ path, ok }) => {
    await ok({ method: 'DELETE', path: `${path}/k` });
    return { method: 'DELETE', path };
  },
  PurgeBucket: ({ path }) => ({
    method: 'POST',
    path,
    query: { purge: '' },
    body: '{"everything":true}',
  }),
  DeleteObjects: ({ path }) => {
    const body = '<Delete><Object><Key>k</Key></Object></Delete>';
    return {
      method: 'POST',
      path,
      query: { delete: '' },
      body,
      headers: { 'content-md5': contentMd5(body) },
    };
  },
  PutBucketAcl: ({ path }) => ({
    method: 'PUT',
    path,
    query: { acl: '' },
    headers: { 'x-amz-acl': 'public-read' },
  }),
  PutBucketPolicy: putPolicy,
  DeleteBucketPolicy: async (place) => {
    await place.ok(await putPolicy(place));
    return { method: 'DELETE', path: place.path, query: { policy: '' } };
  },
  PutPublicAccessBlock: put('publicAccessBlock', BLOCK),
  DeletePublicAccessBlock: remove('publicAccessBlock', BLOCK),
  PutBucketOwnershipControls: put('ownershipControls', OWNERSHIP),
  DeleteBucketOwnershipControls: remove('ownershipControls', OWNERSHIP),
  PutBucketVersioning: put('versioning', VERSIONING),
  PutBucketCors: put('cors', CORS),
  DeleteBucketCors: remove('cors', CORS),
  PutBucketEncryption: put('encryption', ENCRYPTION),
  DeleteBucketEncryption: remove('encryption', ENCRYPTION),
  PutBucketRequestPayment: put(
    'requestPayment',
    '<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>',
  ),
  PutBucketLogging: async (place) => {
    const target = `<TargetBucket>${place.bucket}</TargetBucket><TargetPrefix>log/</TargetPrefix>`;
    const logger = { Service: 'logging.s3.amazonaws.com' };
    await place.ok({ method: 'PUT', query: { policy: '' }, body: policyOf(place, logger) });
    await place.ok({ method: 'PUT', path: `${place.path}-source` });
    const enabled = `<LoggingEnabled>${target}</LoggingEnabled>`;
    const body = `<BucketLoggingStatus>${enabled}</BucketLoggingStatus>`;
    return { method: 'PUT', path: `${place.path}-source`, query: { logging: '' }, body };
  },
  PutBucketNotificationConfiguration: put(
    'notification',
    '<NotificationConfiguration><QueueConfiguration>' +
      '<Queue>arn:quayside:webhook:::wh_0123456789</Queue><Event>s3:ObjectCreated:*</Event>' +
      '</QueueConfiguration></NotificationConfiguration>',
    { 'x-amz-skip-destination-validation': 'true' },
  ),
  PutBucketWebsite: put('website', WEBSITE),
  DeleteBucketWebsite: remove('website', WEBSITE),
  PutBucketTagging: put('tagging', TAGS),
  DeleteBucketTagging: remove('tagging', TAGS),
  PutObjectLockConfiguration: async (place) => {
    await place.ok({ method: 'PUT', query: { versioning: '' }, body: VERSIONING });
    return put('object-lock', LOCK)(place);
  },
  PutBucketLifecycleConfiguration: put('lifecycle', LIFECYCLE),
  DeleteBucketLifecycle: remove('lifecycle', LIFECYCLE),
  PutBucketHosting: put('hosting', '{"cleanUrls":true}'),
  DeleteBucketHosting: remove('hosting', '{"cleanUrls":true}'),
  PutObjectAcl: ({ path }) => ({
    method: 'PUT',
    path: `${path}/k`,
    query: { acl: '' },
    headers: { 'x-amz-acl': 'public-read' },
  }),
  UpdateObjectEncryption: [
    putUnderKey('seeded-key'),
    putUnderKey('arn:aws:kms:auto:000000000000:key/seeded-key'),
  ],
  PutObjectRetention: async (place) => {
    await withLock(place);
    await place.ok({ method: 'PUT', path: `${place.path}/k`, body: 'locked' });
    const until = '<Mode>GOVERNANCE</Mode><RetainUntilDate>2099-01-01T00:00:00Z</RetainUntilDate>';
    return onObject('PUT', 'retention', `<Retention>${until}</Retention>`)(place);
  },
  PutObjectLegalHold: async (place) => {
    await withLock(place);
    await place.ok({ method: 'PUT', path: `${place.path}/k`, body: 'locked' });
    return onObject('PUT', 'legal-hold', '<LegalHold><Status>ON</Status></LegalHold>')(place);
  },
  PutObjectTagging: onObject('PUT', 'tagging', TAGS),
  DeleteObjectTagging: onObject('DELETE', 'tagging', ''),
  PutObject: ({ path }) => ({ method: 'PUT', path: `${path}/new`, body: BODY }),
  PostObject: async ({ path, ok }) => {
    await ok({ method: 'PUT', query: { acl: '' }, headers: { 'x-amz-acl': 'public-read-write' } });
    const part = (name: string, value: string) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    return {
      method: 'POST',
      path,
      body: `${part('key', 'posted')}${part('file', BODY)}--x--\r\n`,
      headers,
      as: 'nobody',
    };
  },
  CopyObject: ({ path }) => ({
    method: 'PUT',
    path: `${path}/copy`,
    headers: { 'x-amz-copy-source': `${path}/k` },
  }),
  DeleteObject: ({ path }) => ({ method: 'DELETE', path: `${path}/k` }),
  CreateMultipartUpload: ({ path }) => ({
    method: 'POST',
    path: `${path}/parts`,
    query: { uploads: '' },
  }),
  UploadPart: async (place) => {
    const { path, uploadId } = await begunUpload(place);
    return { method: 'PUT', path, query: { uploadId, partNumber: '1' }, body: BODY };
  },
  UploadPartCopy: async (place) => {
    const { path, uploadId } = await begunUpload(place);
    const headers = { 'x-amz-copy-source': `${place.path}/k` };
    return { method: 'PUT', path, query: { uploadId, partNumber: '1' }, headers };
  },
  CompleteMultipartUpload: async (place) => {
    const { path, uploadId } = await begunUpload(place);
    const { headers } = await place.ok({
      method: 'PUT',
      path,
      query: { uploadId, partNumber: '1' },
      body: BODY,
    });
    const part = `<Part><PartNumber>1</PartNumber><ETag>${headers.etag}</ETag></Part>`;
    const body = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`;
    return { method: 'POST', path, query: { uploadId }, body };
  },
  AbortMultipartUpload: async (place) => {
    const { path, uploadId } = await begunUpload(place);
    return { method: 'DELETE', path, query: { uploadId } };
  },
};

const changing = (Object.keys(OPERATIONS) as OperationName[]).filter(
  (name) => !READS.test(name) && !ALSO_READ.has(name),
);

let places = 0;
/** A place of its own for each attempt. */
async function newPlace(): Promise<Place> {
  const bucket = `before-${++places}`;
  const path = `/${bucket}`;
  const ok = async (sent: Partial<Sent>) => {
    const reply = await surface.send({ path, ...sent });
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply;
  };
  await ok({ method: 'PUT' });
  await ok({ method: 'PUT', path: `${path}/k`, body: BODY });
  return { bucket, path, ok };
}

it.each(changing)('%s answers when its commit is there, and fails when it fails', async (name) => {
  const example = EXAMPLES[name];
  if (example === undefined)
    throw new Error(`${name} changes something: give an example of it in this file.`);
  for (const each of typeof example === 'function' ? [example] : example) {
    const { failed, last } = await failEachCommand(barrier, async () => {
      const sent = await each(await newPlace());
      return () => surface.send(sent);
    });
    expect(last.status, last.text).toBeLessThan(300);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed).toEqual(
      failed.map(({ command }) => ({ command, answeredBefore: false, status: 503 })),
    );
  }
});
