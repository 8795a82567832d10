// Two accounts and a stranger at one bucket: what policies, ACLs and ownership let each of them do.
import { createHash } from 'node:crypto';
import {
  DeleteBucketOwnershipControlsCommand,
  DeleteBucketPolicyCommand,
  GetBucketAclCommand,
  GetBucketOwnershipControlsCommand,
  GetObjectAclCommand,
  PutBucketAclCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketPolicyCommand,
  PutObjectAclCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { policyOf } from '../../../access-samples.ts';
import { useBucket } from '../../kit/bucket.ts';
import type { Call } from '../../kit/clients/client.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError, expectFailure, xmlRoot } from '../../kit/clients/xml.ts';

const { s3, send, anonymous, target } = client;
const { other } = target;

describe.skipIf(other === null)('a second account', () => {
  describeCore('at a bucket of another', () => {
    const bucket = useBucket(client);
    const otherId = other?.accountId ?? '';
    const signer = { accessKey: other?.accessKey ?? '', secretKey: other?.secretKey ?? '' };
    const asOther = (call: Omit<Call, 'bucket'>) => send({ ...call, bucket, signer });
    const given = {
      Principal: { AWS: `arn:aws:iam::${otherId}:root` },
      Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
    };
    const setPolicy = (...statements: object[]) =>
      s3.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: policyOf(given, statements) }));
    /**
     * A refusal is decided from the record that an isolate remembers for seconds, so it may lag; a
     * right never does.
     */
    const isRefused = async (call: Omit<Call, 'bucket'>, as = asOther) =>
      expectError(await as(call), 403, 'AccessDenied');

    beforeEach(async () => {
      await send({ method: 'PUT', bucket, key: 'mine', body: 'mine' });
    });
    afterEach(async () => {
      await s3.send(new DeleteBucketOwnershipControlsCommand({ Bucket: bucket }));
      await s3.send(new DeleteBucketPolicyCommand({ Bucket: bucket }));
      await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'private' }));
    });

    it('may nothing', async () => {
      await isRefused({ method: 'GET' });
      await isRefused({ method: 'GET', key: 'mine' });
      await isRefused({ method: 'GET', key: 'missing' });
      await isRefused({ method: 'PUT', key: 'theirs', body: 'x' });
      await isRefused({ method: 'DELETE', key: 'mine' });
      await isRefused({
        method: 'PUT',
        query: { acl: '' },
        headers: { 'x-amz-acl': 'public-read' },
      });
    });

    it('may what a policy allows, and a Deny wins', async () => {
      await setPolicy({ Action: ['s3:GetObject', 's3:PutObject', 's3:ListBucket'] });
      expect((await asOther({ method: 'GET' })).text).toContain('<Key>mine</Key>');
      expect((await asOther({ method: 'GET', key: 'mine' })).text).toBe('mine');
      expectError(await asOther({ method: 'GET', key: 'missing' }), 404, 'NoSuchKey');
      expect((await asOther({ method: 'PUT', key: 'theirs', body: 'theirs' })).status).toBe(200);
      await isRefused({ method: 'DELETE', key: 'mine' });
      await isRefused({ method: 'GET', key: 'theirs' }, (call) => send({ ...call, bucket }));
      expect((await asOther({ method: 'GET', key: 'theirs' })).text).toBe('theirs');
      await setPolicy(
        { Action: 's3:*' },
        { Effect: 'Deny', Action: 's3:GetObject', Principal: '*' },
      );
      await isRefused({ method: 'GET', key: 'mine' });
      await isRefused({ method: 'GET', key: 'mine' }, (call) => send({ ...call, bucket }));
      expectError(await asOther({ method: 'GET', query: { policy: '' } }), 405, 'MethodNotAllowed');
      await s3.send(new DeleteBucketPolicyCommand({ Bucket: bucket }));
      expect((await send({ method: 'GET', bucket, key: 'mine' })).text).toBe('mine');
      expect((await send({ method: 'DELETE', bucket, key: 'theirs' })).status).toBe(204);
    });

    it('may what a condition allows', async () => {
      const Condition = { StringEquals: { 's3:prefix': 'a/', 's3:delimiter': '/' } };
      await setPolicy({ Action: 's3:ListBucket', Condition });
      const list = (query: Record<string, string>) =>
        asOther({ method: 'GET', query: { 'list-type': '2', ...query } });
      expect((await list({ prefix: 'a/', delimiter: '/' })).status).toBe(200);
      expectError(await list({ prefix: 'a/' }), 403, 'AccessDenied');
      expectError(await list({}), 403, 'AccessDenied');
    });

    it('may write only with a condition where a policy as on AWS’s page demands one', async () => {
      // https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html
      await setPolicy(
        { Action: 's3:PutObject', Condition: { Null: { 's3:if-none-match': 'false' } } },
        {
          Action: 's3:PutObject',
          Condition: { Bool: { 's3:ObjectCreationOperation': 'false' } },
        },
        {
          Effect: 'Deny',
          Principal: '*',
          Action: 's3:PutObject',
          Condition: {
            Null: { 's3:if-none-match': 'true' },
            Bool: { 's3:ObjectCreationOperation': 'true' },
          },
        },
      );
      const key = 'once';
      const once = { headers: { 'if-none-match': '*' } };
      await isRefused({ method: 'PUT', key, body: 'x' });
      await isRefused({ method: 'PUT', key, body: 'x' }, (call) => send({ ...call, bucket }));
      expect((await asOther({ method: 'PUT', key, body: 'x', ...once })).status).toBe(200);
      expectError(
        await asOther({ method: 'PUT', key, body: 'y', ...once }),
        412,
        'PreconditionFailed',
      );
      const started = await asOther({ method: 'POST', key: 'parts', query: { uploads: '' } });
      const uploadId = /<UploadId>([^<]+)/.exec(started.text)?.[1] ?? '';
      const part = await asOther({
        method: 'PUT',
        key: 'parts',
        query: { uploadId, partNumber: '1' },
        body: 'x',
      });
      const body =
        '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>' +
        `${part.headers.etag}</ETag></Part></CompleteMultipartUpload>`;
      await isRefused({ method: 'POST', key: 'parts', query: { uploadId }, body });
      expect(
        (await asOther({ method: 'POST', key: 'parts', query: { uploadId }, body, ...once }))
          .status,
      ).toBe(200);
    });

    it('may what the tags of an object, or of the request, allow', async () => {
      const open = { StringEquals: { 's3:ExistingObjectTag/level': 'open' } };
      const fresh = { StringEquals: { 's3:RequestObjectTag/by': 'other' } };
      const onlyBy = { 'ForAllValues:StringEquals': { 's3:RequestObjectTagKeys': ['by'] } };
      await setPolicy(
        { Action: ['s3:GetObject', 's3:GetObjectTagging'], Condition: open },
        { Action: ['s3:PutObject', 's3:PutObjectTagging'], Condition: { ...fresh, ...onlyBy } },
      );
      await isRefused({ method: 'GET', key: 'mine' });
      await isRefused({ method: 'GET', key: 'mine', query: { tagging: '' } });
      const set = (tags: string) => `<Tagging><TagSet>${tags}</TagSet></Tagging>`;
      const tag = (key: string, value: string) =>
        `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`;
      const body = set(tag('level', 'open'));
      expect(
        (await send({ method: 'PUT', bucket, key: 'mine', query: { tagging: '' }, body })).status,
      ).toBe(200);
      expect((await asOther({ method: 'GET', key: 'mine' })).text).toBe('mine');
      expect(
        (await asOther({ method: 'GET', key: 'mine', query: { tagging: '' } })).text,
      ).toContain('open');

      const put = (tagging?: string) =>
        asOther({
          method: 'PUT',
          key: 'tagged',
          body: 'x',
          headers: tagging ? { 'x-amz-tagging': tagging } : {},
        });
      expectError(await put(), 403, 'AccessDenied');
      expectError(await put('by=me'), 403, 'AccessDenied');
      expectError(await put('by=other&more=1'), 403, 'AccessDenied');
      expect((await put('by=other')).status).toBe(200);
      const retag = (tags: string) =>
        asOther({ method: 'PUT', key: 'mine', query: { tagging: '' }, body: set(tags) });
      expectError(await retag(tag('by', 'me')), 403, 'AccessDenied');
      expect((await retag(tag('by', 'other'))).status).toBe(200);
      await isRefused({ method: 'GET', key: 'mine' });
    });

    it('may delete what it may, key by key', async () => {
      await setPolicy({ Action: 's3:DeleteObject', Resource: `arn:aws:s3:::${bucket}/mi*` });
      await send({ method: 'PUT', bucket, key: 'kept', body: 'x' });
      const body =
        '<Delete><Object><Key>kept</Key></Object><Object><Key>mine</Key></Object></Delete>';
      const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
      const reply = await asOther({ method: 'POST', query: { delete: '' }, body, headers });
      expect(reply.status).toBe(200);
      const result = xmlRoot(reply.text, 'DeleteResult');
      expect([result.Deleted[0].Key, result.Error[0].Key, result.Error[0].Code]).toEqual([
        'mine',
        'kept',
        'AccessDenied',
      ]);
      expect((await send({ method: 'HEAD', bucket, key: 'kept' })).status).toBe(200);
    });

    it('may see and end the uploads that it began, and those alone', async () => {
      await setPolicy({ Action: 's3:PutObject' });
      const begin = async (as: typeof asOther) => {
        const { text } = await as({ method: 'POST', key: 'up', query: { uploads: '' } });
        return xmlRoot(text, 'InitiateMultipartUploadResult').UploadId as string;
      };
      const theirs = await begin(asOther);
      const mine = await begin((call) => send({ ...call, bucket }));
      const parts = await asOther({ method: 'GET', key: 'up', query: { uploadId: theirs } });
      expect(xmlRoot(parts.text, 'ListPartsResult').Initiator.ID).toContain(otherId);
      await isRefused({ method: 'GET', key: 'up', query: { uploadId: mine } });
      await isRefused({ method: 'DELETE', key: 'up', query: { uploadId: mine } });
      await isRefused({ method: 'GET', query: { uploads: '' } });
      expect(
        (await asOther({ method: 'DELETE', key: 'up', query: { uploadId: theirs } })).status,
      ).toBe(204);
      expect(
        (await send({ method: 'DELETE', bucket, key: 'up', query: { uploadId: mine } })).status,
      ).toBe(204);
    });

    it('may copy what it may read, to where it may write', async () => {
      const copy = () =>
        asOther({
          method: 'PUT',
          key: 'copy',
          headers: { 'x-amz-copy-source': `/${bucket}/mine` },
        });
      await setPolicy({ Action: 's3:PutObject' });
      expectError(await copy(), 403, 'AccessDenied');
      await setPolicy({ Action: ['s3:PutObject', 's3:GetObject'] });
      expect((await copy()).status).toBe(200);
    });

    it('may what the ACL of the bucket grants', async () => {
      const Owner = (await s3.send(new GetBucketAclCommand({ Bucket: bucket }))).Owner;
      const Grants = [
        { Grantee: { Type: 'CanonicalUser' as const, ID: otherId }, Permission: 'READ' as const },
        {
          Grantee: { Type: 'CanonicalUser' as const, ID: Owner?.ID },
          Permission: 'FULL_CONTROL' as const,
        },
      ];
      await s3.send(
        new PutBucketAclCommand({ Bucket: bucket, AccessControlPolicy: { Owner, Grants } }),
      );
      expect((await asOther({ method: 'GET' })).status).toBe(200);
      await isRefused({ method: 'GET', key: 'mine' });
      await isRefused({ method: 'PUT', key: 'theirs', body: 'x' });
      await isRefused({ method: 'GET' }, (call) => anonymous({ ...call, bucket }));
      const shown = await s3.send(new GetBucketAclCommand({ Bucket: bucket }));
      expect(shown.Grants).toContainEqual({
        Grantee: { Type: 'CanonicalUser', ID: otherId, DisplayName: 'other' },
        Permission: 'READ',
      });
    });

    it('may what the ACL of an object grants', async () => {
      const grant = { Bucket: bucket, Key: 'mine', GrantRead: `id="${otherId}"` };
      await s3.send(new PutObjectAclCommand(grant));
      expect((await asOther({ method: 'GET', key: 'mine' })).text).toBe('mine');
      expect((await asOther({ method: 'HEAD', key: 'mine' })).status).toBe(200);
      await isRefused({ method: 'GET', key: 'mine', query: { acl: '' } });
      await isRefused({ method: 'GET', key: 'mine' }, (call) => anonymous({ ...call, bucket }));
      const nobody = s3.send(
        new PutObjectAclCommand({ Bucket: bucket, Key: 'mine', GrantRead: 'id="_nobody"' }),
      );
      await expectFailure(nobody, 400, 'InvalidArgument');
    });

    it('owns what it writes, unless the bucket says otherwise', async () => {
      await setPolicy({ Action: 's3:PutObject' });
      const write = (headers: Record<string, string> = {}) =>
        asOther({ method: 'PUT', key: 'theirs', body: 'x', headers });
      const forOwner = { 'x-amz-acl': 'bucket-owner-full-control' };
      const readAsOwner = async () => (await send({ method: 'GET', bucket, key: 'theirs' })).status;
      await write();
      expect(await readAsOwner()).toBe(403);
      await write(forOwner);
      expect(await readAsOwner()).toBe(200);
      const { Owner } = await s3.send(new GetObjectAclCommand({ Bucket: bucket, Key: 'theirs' }));
      expect(Owner).toMatchObject({ ID: otherId, DisplayName: 'other' });
      const Rules = [{ ObjectOwnership: 'BucketOwnerEnforced' as const }];
      await s3.send(
        new PutBucketOwnershipControlsCommand({ Bucket: bucket, OwnershipControls: { Rules } }),
      );
      const controls = await s3.send(new GetBucketOwnershipControlsCommand({ Bucket: bucket }));
      expect(controls.OwnershipControls?.Rules).toEqual(Rules);
      await write();
      expect(await readAsOwner()).toBe(200);
      expectError(await write({ 'x-amz-acl': 'private' }), 400, 'AccessControlListNotSupported');
    });
  });
});

describeCore('everybody writing', () => {
  const bucket = useBucket(client);

  it('is what public-read-write says, and S3’s anonymous user owns it', async () => {
    await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'public-read-write' }));
    expect((await anonymous({ method: 'PUT', bucket, key: 'dropped', body: 'x' })).status).toBe(
      200,
    );
    expect((await anonymous({ method: 'GET', bucket, key: 'dropped' })).text).toBe('x');
    expectError(await send({ method: 'GET', bucket, key: 'dropped' }), 403, 'AccessDenied');
    expect((await send({ method: 'DELETE', bucket, key: 'dropped' })).status).toBe(204);
  });

  it('ends with it', async () => {
    await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'private' }));
    expectError(
      await anonymous({ method: 'PUT', bucket, key: 'dropped', body: 'x' }),
      403,
      'AccessDenied',
    );
  });
});
