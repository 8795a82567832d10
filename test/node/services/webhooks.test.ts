// Messages to webhooks outlive the process: events of writes that were answered are delivered
// after kill -9.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CreateBucketCommand,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { type NodeProcess, ROOT_KEY, startNodeProcess } from '../kit/node-process.ts';
import { expectOk, signIn, useNodeProcesses } from '../kit/platform-client.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const folder = temporaryFolder();
useNodeProcesses();

const SETTINGS = {
  QUAYSIDE_WEBHOOK_PRIVATE_TARGETS: 'on',
  QUAYSIDE_WEBHOOK_RETRY_MS: '50',
  QUAYSIDE_WEBHOOK_TIMEOUT_MS: '300',
};

it('the outbox survives kill -9 with messages waiting, under way and tried', async () => {
  const keys = new Set<string>();
  let isUp = false;
  const arrived = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const KEYS = 40;
  const receiver = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const key = JSON.parse(text).Records?.[0].s3.object.key;
      if (!isUp && key !== undefined) {
        // One is answered with a failure, the others are left without an answer.
        if (key === 'k0') response.writeHead(500).end();
        arrived.resolve();
        return;
      }
      response.end();
      if (key !== undefined) keys.add(key);
      if (keys.size === KEYS) done.resolve();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;

  const node = await startNodeProcess(folder, SETTINGS);
  const s3 = clientOf(node);
  await s3.send(new CreateBucketCommand({ Bucket: 'events' }));
  const arn = await makeWebhook(node, `http://127.0.0.1:${port}/`);
  await s3.send(
    new PutBucketNotificationConfigurationCommand({
      Bucket: 'events',
      NotificationConfiguration: {
        QueueConfigurations: [{ QueueArn: arn, Events: ['s3:ObjectCreated:*'] }],
      },
    }),
  );
  for (let n = 0; n < KEYS; n++)
    await s3.send(new PutObjectCommand({ Bucket: 'events', Key: `k${n}`, Body: 'x' }));
  await arrived.promise;
  await node.end('SIGKILL');

  isUp = true;
  // What was under way comes when its lease ends.
  const again = await startNodeProcess(folder, SETTINGS);
  await done.promise;
  expect([...keys].toSorted()).toEqual(Array.from({ length: KEYS }, (_, n) => `k${n}`).toSorted());
  expect(await again.end('SIGTERM')).toBe(0);
  receiver.closeAllConnections();
  receiver.close();
});

function clientOf({ url }: NodeProcess): S3Client {
  return new S3Client({
    endpoint: url,
    region: 'us-east-1',
    credentials: { ...ROOT_KEY },
    forcePathStyle: true,
  });
}

/** Makes a webhook through the JSON API and gives its ARN. */
async function makeWebhook({ url }: NodeProcess, hook: string): Promise<string> {
  const { call } = await signIn(url);
  const made = (await (await expectOk(call('POST', '/webhooks', { url: hook }))).json()) as {
    arn: string;
  };
  return made.arn;
}
