// User content never runs script on the console's origin: what a browser may run is sandboxed at
// path-style addresses, on both doors, and left alone where the host is the bucket's own.
import { PutBucketWebsiteCommand } from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { exchange } from '../kit/clients/http.ts';
import {
  client,
  describeCore,
  itUnless,
  virtualHostReason,
  websiteReason,
} from '../kit/clients/suite.ts';
import { eventually } from '../kit/eventually.ts';

const { s3, send, anonymous, target } = client;

describeCore('content that a browser may run', () => {
  const bucket = useBucket(client);
  const active = [
    ['a.html', 'text/html; charset=utf-8'],
    ['a.svg', 'image/svg+xml'],
    ['a.xml', 'application/xml'],
    ['odd', 'html'],
  ] as const;
  const passive = [
    ['a.txt', 'text/plain'],
    ['a.png', 'image/png'],
    ['a.pdf', 'application/pdf'],
  ] as const;
  const policyOf = ({ headers }: { headers: Readonly<Record<string, string>> }) => [
    headers['content-security-policy'] ?? null,
    headers['x-content-type-options'] ?? null,
  ];
  const nothing = [null, null];

  beforeAll(async () => {
    for (const [key, type] of [...active, ...passive]) {
      await send({
        method: 'PUT',
        bucket,
        key,
        body: '<script>1</script>',
        headers: { 'content-type': type },
      });
    }
    await openToEveryone(client, bucket);
    await s3.send(
      new PutBucketWebsiteCommand({
        Bucket: bucket,
        WebsiteConfiguration: { IndexDocument: { Suffix: 'index.html' } },
      }),
    );
    await eventually(
      () => anonymous({ method: 'GET', bucket, key: 'a.txt' }),
      ({ status }) => status === 200,
    );
  });

  it.each([...active, ...passive])(
    'is sandboxed at a path-style address: %s',
    async (key, type) => {
      const expected = [active.some(([name]) => name === key) ? 'sandbox' : null, 'nosniff'];
      for (const call of [
        { method: 'GET', bucket, key },
        { method: 'HEAD', bucket, key },
        { method: 'GET', bucket, key, headers: { range: 'bytes=0-3' } },
      ]) {
        expect(policyOf(await send(call)), `signed ${call.method}`).toEqual(expected);
        // The first time from the index, then from memory.
        for (const _ of [1, 2, 3]) {
          const reply = await anonymous(call);
          expect([policyOf(reply), reply.headers['content-type']], `public ${call.method}`).toEqual(
            [expected, type],
          );
        }
      }
    },
  );

  it('is sandboxed when a presigned URL overrides its type', async () => {
    const query = { 'response-content-type': 'text/html' };
    const requestTarget = client.presigned({ method: 'GET', bucket, key: 'a.txt', query });
    const { host } = new URL(target.url);
    const reply = await exchange(target.url, {
      method: 'GET',
      target: requestTarget,
      headers: { host },
    });
    expect([reply.status, ...policyOf(reply)]).toEqual([200, 'sandbox', 'nosniff']);
  });

  itUnless(virtualHostReason)('not where the host is the bucket', async () => {
    const call = { method: 'GET', path: '/a.html', host: `${bucket}.${target.baseDomain}` };
    for (const _ of [1, 2, 3]) expect(policyOf(await anonymous(call))).toEqual(nothing);
    expect(policyOf(await send(call))).toEqual(nothing);
  });

  itUnless(websiteReason)('not on a website', async () => {
    const call = { method: 'GET', path: '/a.html', host: `${bucket}.${target.websiteDomain}` };
    const page = await eventually(
      () => anonymous(call),
      ({ status }) => status === 200,
    );
    expect([page.status, ...policyOf(page)]).toEqual([200, ...nothing]);
  });
});
