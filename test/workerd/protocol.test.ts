// Callers and objects of other releases: neighbours understand each other, others are told to come
// again before anything is done.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import {
  type CallableObject,
  callObject,
} from '../../src/adapters/cloudflare/clients/object-call.ts';
import { PROTOCOL } from '../../src/adapters/cloudflare/protocol.ts';
import { freshBucketName, PUBLIC, recordOf } from './kit/bucket.ts';

const objects = (name: string) => ({
  bucket: env.BUCKETS.get(env.BUCKETS.idFromName(name)) as unknown as CallableObject,
  directory: env.DIRECTORY.get(env.DIRECTORY.idFromName('directory')) as unknown as CallableObject,
  ledger: env.LEDGER.get(env.LEDGER.idFromName(name)) as unknown as CallableObject,
});
const QUERIES = {
  bucket: ['getBucket', (name: string) => ({ name })],
  directory: ['getClosing', () => ({})],
  ledger: ['getFirstHour', (name: string) => ({ accountId: name })],
} as const;

describe.each(['bucket', 'directory', 'ledger'] as const)('an object of a %s', (kind) => {
  const ask = (protocol?: number, call: string = QUERIES[kind][0]) => {
    const name = freshBucketName();
    return objects(name)[kind].call(call, QUERIES[kind][1](name), protocol);
  };

  it('answers callers of its own release and of those beside it', async () => {
    for (const protocol of [undefined, PROTOCOL - 1, PROTOCOL, PROTOCOL + 1])
      expect(await ask(protocol)).toMatchObject({ isOk: true });
  });

  it('refuses others, and calls that it has never heard of', async () => {
    const refusal = { isOk: false, code: 'ServiceUnavailable', isOtherRelease: true };
    for (const protocol of [PROTOCOL - 2, PROTOCOL + 2])
      expect(await ask(protocol)).toMatchObject(refusal);
    for (const call of ['newCall', 'toString', '__proto__'])
      expect(await ask(PROTOCOL, call)).toMatchObject(refusal);
  });
});

describe('a caller', () => {
  /** An object that runs another release for so many calls. */
  function updatedAfter(calls: number) {
    const bucket = freshBucketName();
    const protocols: (number | undefined)[] = [];
    const object: CallableObject = {
      call(name, input, protocol) {
        protocols.push(protocol);
        const spoken = protocols.length <= calls ? PROTOCOL + 5 : protocol;
        return objects(bucket).bucket.call(name, input, spoken);
      },
    };
    const input = { bucket: recordOf(bucket, PUBLIC) };
    const create = () =>
      callObject({ connect: () => object, name: 'createBucket', input, isRepeatable: false });
    return { create, protocols };
  }

  it('repeats what was refused so, also a command, which has not happened', async () => {
    const { create, protocols } = updatedAfter(2);
    expect(await create()).toMatchObject({ access: PUBLIC });
    expect(protocols).toEqual([PROTOCOL, PROTOCOL, PROTOCOL]);
  });

  it('gives up after some attempts, with an error that clients repeat', async () => {
    const { create, protocols } = updatedAfter(9);
    await expect(create()).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      message: expect.stringContaining('being updated'),
    });
    expect(protocols).toHaveLength(3);
  });
});
