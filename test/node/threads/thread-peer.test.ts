// Calls between two threads: here both ends are in one, over a port as between two.
import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { openThreadPeer } from '../../../src/adapters/node/threads/thread-peer.ts';
import { StorageError } from '../../../src/domain/errors.ts';

type Answers = {
  double(value: number): Promise<number>;
  refuse(): void;
  unclonable(): unknown;
  never(): Promise<void>;
  measure(bytes: Uint8Array): number;
};

let ports: readonly MessagePort[] = [];
afterEach(() => {
  for (const port of ports) port.close();
});

function openPair() {
  const { port1, port2 } = new MessageChannel();
  ports = [port1, port2];
  let messages = 0;
  port2.on('message', () => {
    messages += 1;
  });
  const near = openThreadPeer<Answers>(port1, {});
  openThreadPeer(port2, {
    double: async (value: number) => 2 * value,
    refuse() {
      throw new StorageError('NoSuchKey', { detail: 'There is none.' });
    },
    unclonable: () => () => 1,
    never: () => new Promise(() => {}),
    measure: (bytes: Uint8Array) => bytes.length,
  });
  return { near, messages: () => messages };
}

it('each call gets its own result; those of one tick go as one message', async () => {
  const { near, messages } = openPair();
  const results = await Promise.all([1, 2, 3].map((value) => near.call('double', [value])));
  expect([results, messages()]).toEqual([[2, 4, 6], 1]);
  expect(await near.call('double', [4])).toBe(8);
  expect(messages()).toBe(2);
});

it('an error arrives as what it was', async () => {
  const { near } = openPair();
  const failed = near.call('refuse', []);
  await expect(failed).rejects.toBeInstanceOf(StorageError);
  await expect(failed).rejects.toMatchObject({ code: 'NoSuchKey', message: 'There is none.' });
});

it('what is no plain data is an error on either way, and the end goes on', async () => {
  const { near } = openPair();
  const unsent = near.call('double', [(() => 1) as never]);
  await expect(unsent).rejects.toMatchObject({ code: 'InternalError' });
  await expect(near.call('unclonable', [])).rejects.toMatchObject({ code: 'InternalError' });
  expect(await near.call('double', [1])).toBe(2);
});

it('a call moves what is to be moved', async () => {
  const { near } = openPair();
  const bytes = new Uint8Array(1000);
  expect(await near.call('measure', [bytes], [bytes.buffer])).toBe(1000);
  expect(bytes.length).toBe(0);
  // What was moved once is not moved again with the next message.
  expect(await near.call('double', [1])).toBe(2);
});

it('an end rejects what waits for a far end that has gone, and all that comes later', async () => {
  const { near, messages } = openPair();
  const waiting = near.call('never', []);
  const [, port2] = ports as [MessagePort, MessagePort];
  await once(port2, 'message');
  const unsent = near.call('double', [1]);
  near.end();
  for (const call of [waiting, unsent, near.call('double', [1])])
    await expect(call).rejects.toMatchObject({
      code: 'InternalError',
      message: 'A thread has ended.',
    });
  await new Promise((resolve) => setImmediate(resolve));
  expect(messages()).toBe(1);
});
