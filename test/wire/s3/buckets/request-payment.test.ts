// Who pays for requests: stored and told as tools expect, and nobody is refused for it.
import {
  GetBucketRequestPaymentCommand,
  GetObjectCommand,
  type Payer,
  PutBucketRequestPaymentCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError, expectFailure } from '../../kit/clients/xml.ts';

const { s3, send } = client;

describeCore('request payment', () => {
  const Bucket = useBucket(client);
  const payer = async () => (await s3.send(new GetBucketRequestPaymentCommand({ Bucket }))).Payer;
  const put = (Payer: Payer) =>
    s3.send(new PutBucketRequestPaymentCommand({ Bucket, RequestPaymentConfiguration: { Payer } }));

  it('is the owner’s until it is put, and can be given back', async () => {
    expect(await payer()).toBe('BucketOwner');
    await put('Requester');
    expect(await payer()).toBe('Requester');
    await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
    const read = await s3.send(
      new GetObjectCommand({ Bucket, Key: 'k', RequestPayer: 'requester' }),
    );
    expect(await read.Body?.transformToString()).toBe('x');
    await put('BucketOwner');
    expect(await payer()).toBe('BucketOwner');
  });

  it('refuses what is neither', async () => {
    await expectFailure(put('Nobody' as Payer), 400, 'MalformedXML');
    const body = '<RequestPaymentConfiguration><Payer>Requester</Payer>';
    expectError(
      await send({ method: 'PUT', bucket: Bucket, query: { requestPayment: '' }, body }),
      400,
      'MalformedXML',
    );
    expect(await payer()).toBe('BucketOwner');
  });
});
