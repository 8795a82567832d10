// Reads of two threads through sockets, while keys are written through both: every history of a
// key must be that of one register. A key has one writer at a time, so that is linearizability:
// no read shows a value older than the last acknowledged one, none shows one that was not begun,
// and none shows less than a read that had ended before it began.
import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_ACCESS, publicPolicy } from '../../access-samples.ts';
import { openTestBucket } from '../../core/memory-core.ts';
import { flawOf, type RegisterEvent } from '../../register-history.ts';
import { type ConnectionClient, connectionClient } from '../kit/connection-client.ts';
import { ROOT, startThreadedPlatform, type ThreadedPlatform } from '../kit/threaded-platform.ts';

/** Values that each key takes; a machine that is busy needs some seconds for these. */
const WRITES = 60;
const BUCKET = 'registers';

let platform: ThreadedPlatform;
/** Connections to read by: two to each thread. */
let readers: ConnectionClient[];
/** Connections to write by, one to each thread. */
let writers: ConnectionClient[];
const aws = new AwsClient({ ...ROOT, service: 's3', region: 'auto' });

const connectTo = async (thread: number) => connectionClient(await platform.connectTo(thread));
const connectToAll = (threads: readonly number[]) => Promise.all(threads.map(connectTo));

beforeAll(async () => {
  platform = await startThreadedPlatform();
  const bucket = await openTestBucket(platform.core, BUCKET);
  await bucket.call('setBucketAccess', { access: PUBLIC_ACCESS });
  readers = await connectToAll([0, 1, 1, 0]);
  writers = await connectToAll([0, 1]);
});
afterAll(async () => {
  for (const client of [...readers, ...writers]) client.close();
  await platform.close();
});

async function signed(method: string, path: string): Promise<Record<string, string>> {
  const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  const request = await aws.sign(`${platform.url}${path}`, { method, headers });
  return Object.fromEntries([...request.headers].filter(([name]) => name !== 'host'));
}

/**
 * Writes the values 1 to WRITES through both threads in turns, while all readers read; returns
 * what is wrong with the history, and how many reads there were.
 */
async function runHistory(
  write: (client: ConnectionClient, value: number) => Promise<void>,
  read: (client: ConnectionClient) => Promise<(value: number) => boolean>,
): Promise<{ flaw: string | null; reads: number }> {
  const history: RegisterEvent[] = [];
  let isWriting = true;
  let reads = 0;

  const readOn = async (client: ConnectionClient) => {
    while (isWriting) {
      const one = {};
      history.push({ kind: 'read-begun', read: one });
      const matches = await read(client);
      history.push({ kind: 'read-ended', read: one, matches });
      reads += 1;
    }
  };
  const reading = readers.map(readOn);
  for (let value = 1; value <= WRITES; value++) {
    history.push({ kind: 'write-begun', value });
    await write(writers[value % writers.length] as ConnectionClient, value);
    history.push({ kind: 'write-ended', value });
    // Time in which caches are filled with it.
    await new Promise((resolve) => setTimeout(resolve, value % 3));
  }
  isWriting = false;
  await Promise.all(reading);
  return { flaw: flawOf(history), reads };
}

const expectStatus = async (reply: ReturnType<ConnectionClient['send']>, status: number) =>
  expect((await reply).status).toBe(status);

/** Writes an object whose length is the value. */
async function put(client: ConnectionClient, key: string, value: number): Promise<void> {
  const path = `/${BUCKET}/${key}`;
  const body = Buffer.alloc(value, 'x');
  await expectStatus(client.send('PUT', path, await signed('PUT', path), body), 200);
}

async function remove(client: ConnectionClient, key: string): Promise<void> {
  const path = `/${BUCKET}/${key}`;
  await expectStatus(client.send('DELETE', path, await signed('DELETE', path)), 204);
}

/** A change of the bucket's policy, by S3. */
async function changePolicy(client: ConnectionClient, isPublic: boolean): Promise<void> {
  const path = `/${BUCKET}?policy`;
  const method = isPublic ? 'PUT' : 'DELETE';
  const body = isPublic ? Buffer.from(publicPolicy(BUCKET)) : undefined;
  await expectStatus(client.send(method, path, await signed(method, path), body), 204);
}

const isOdd = (value: number): boolean => value % 2 === 1;

describe('a key that is read and written through two threads', () => {
  it('is one register to public reads', async () => {
    const { flaw, reads } = await runHistory(
      (client, value) => put(client, 'public', value),
      async (client) => {
        const { status, body } = await client.send('GET', `/${BUCKET}/public`);
        return (value) => value === (status === 200 ? body.length : 0);
      },
    );
    expect(flaw).toBeNull();
    expect(reads).toBeGreaterThan(WRITES);
  });

  it('is one register to signed reads', async () => {
    const path = `/${BUCKET}/signed`;
    const headers = await signed('GET', path);
    const { flaw, reads } = await runHistory(
      (client, value) => put(client, 'signed', value),
      async (client) => {
        const { status, body } = await client.send('GET', path, headers);
        return (value) => value === (status === 200 ? body.length : 0);
      },
    );
    expect(flaw).toBeNull();
    expect(reads).toBeGreaterThan(WRITES);
  });

  it('is one register to listings', async () => {
    const path = `/${BUCKET}?list-type=2&prefix=listed`;
    const headers = await signed('GET', path);
    const { flaw, reads } = await runHistory(
      (client, value) => put(client, 'listed', value),
      async (client) => {
        const { body } = await client.send('GET', path, headers);
        const sizeBytes = Number(/<Size>(\d+)</.exec(body.toString())?.[1] ?? 0);
        return (value) => value === sizeBytes;
      },
    );
    expect(flaw).toBeNull();
    expect(reads).toBeGreaterThan(WRITES);
  });

  it('is there or gone to all of them, and negative caches are as exact', async () => {
    const { flaw, reads } = await runHistory(
      (client, value) => (isOdd(value) ? put(client, 'gone', value) : remove(client, 'gone')),
      async (client) => {
        const { status, body } = await client.send('GET', `/${BUCKET}/gone`);
        return (value) => (status === 200 ? value === body.length : !isOdd(value));
      },
    );
    expect(flaw).toBeNull();
    expect(reads).toBeGreaterThan(WRITES);
  });

  it('is public or private to all at once', async () => {
    await put(writers[0] as ConnectionClient, 'opened', 1);
    const { flaw, reads } = await runHistory(
      (client, value) => changePolicy(client, !isOdd(value)),
      async (client) => {
        const { status } = await client.send('GET', `/${BUCKET}/opened`);
        return (value) => (status === 200 ? !isOdd(value) : isOdd(value));
      },
    );
    expect(flaw).toBeNull();
    expect(reads).toBeGreaterThan(WRITES);
  });
});

describe('the check of histories', () => {
  const read = {};
  const shows = (shown: number) => (value: number) => value === shown;
  const wrote = (value: number): RegisterEvent[] => [
    { kind: 'write-begun', value },
    { kind: 'write-ended', value },
  ];
  const readOf = (one: object, value: number): RegisterEvent[] => [
    { kind: 'read-begun', read: one },
    { kind: 'read-ended', read: one, matches: shows(value) },
  ];

  it('finds a value that is older than an acknowledged one, or than one that was read', () => {
    expect(flawOf([...wrote(1), ...wrote(2), ...readOf(read, 2)])).toBeNull();
    expect(flawOf([...wrote(1), ...wrote(2), ...readOf(read, 1)])).not.toBeNull();
    const underWay: RegisterEvent[] = [{ kind: 'write-begun', value: 1 }];
    expect(flawOf([...underWay, ...readOf(read, 0), ...readOf({}, 1)])).toBeNull();
    expect(flawOf([...underWay, ...readOf(read, 1), ...readOf({}, 0)])).not.toBeNull();
  });
});
