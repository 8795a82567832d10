// A server on Node for the tests of the client, one for each file, with both credentials.
import { afterAll, beforeAll } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../src/client/index.ts';
import { type NodeProcess, ROOT_KEY, startNodeProcess } from '../node/kit/node-process.ts';
import { temporaryFolder } from '../node/kit/temporary-folder.ts';

export const ACCESS_KEY = { id: ROOT_KEY.accessKeyId, secret: ROOT_KEY.secretAccessKey };
/** Waits of tests are short. */
export const QUICK = { baseMs: 5, maxMs: 50 };

export type ClientServer = {
  url(): string;
  token(): string;
  /** A client with the access key: it signs its requests by itself. */
  byKey(options?: Partial<ClientOptions>): Client;
  /** A client with a bearer token: its requests are presigned. */
  byToken(options?: Partial<ClientOptions>): Client;
  /** A bucket that nobody else uses. */
  newBucket(settings?: { readonly versioning?: 'enabled' }): Promise<string>;
};

/** Starts a server before the tests of a file, and ends it after them. */
export function useClientServer(): ClientServer {
  let node: NodeProcess | null = null;
  let token = '';
  let buckets = 0;
  const url = () => node?.url ?? '';
  const byKey = (options = {}) =>
    createClient({ endpoint: url(), accessKey: ACCESS_KEY, retries: QUICK, ...options });
  const byToken = (options = {}) =>
    createClient({ endpoint: url(), token, retries: QUICK, ...options });

  beforeAll(async () => {
    // The tests send more in a minute than one account may.
    node = await startNodeProcess(temporaryFolder(), {
      QUAYSIDE_API_REQUESTS_PER_MINUTE: '0',
    });
    token = (await byKey().tokens.create({ body: { name: 'tests' } })).token;
  });
  afterAll(async () => {
    await node?.end('SIGKILL');
  });

  return {
    url,
    token: () => token,
    byKey,
    byToken,
    async newBucket(settings) {
      const name = `client-${Date.now()}-${++buckets}`;
      await byToken().buckets.create({ body: { name } });
      if (settings !== undefined) {
        await byToken().buckets.update(name, { body: settings, ifMatch: '*' });
      }
      return name;
    },
  };
}

/** Bytes that differ everywhere, the same for the same seed. */
export function bytesOf(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed * 2654435761;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

export const MiB = 1024 * 1024;
