import { setTimeout as delay } from 'node:timers/promises';
import {
  CAPPED_TARGETS,
  connectTo,
  GONE_TARGETS,
  HOSTED_HOSTS,
  KEYS,
  PUBLIC_BUCKET,
  RULED_TARGETS,
  SITE_BUCKET,
  SITE_KEYS,
  settle,
  type TestServer,
} from './both-paths.ts';
import type { Conversation, TagsByKey } from './fuzz-requests.ts';
import { HOSTED_TARGETS } from './fuzz-vocabulary.ts';

/**
 * Reads every object twice, so that all of them stand in memory, with their variants; gives the
 * tags of the public bucket's.
 */
export async function warmUp(door: TestServer): Promise<TagsByKey> {
  const etags = new Map<string, string[]>();
  for (const [bucket, keys] of [
    [SITE_BUCKET, SITE_KEYS],
    [PUBLIC_BUCKET, KEYS],
  ] as const) {
    for (const key of keys) etags.set(key, [await readTwice(door, bucket, key)]);
  }
  for (const key of SITE_KEYS) etags.delete(key);
  for (const [key, tags] of etags) {
    for (const coding of ['br', 'zstd', 'gzip'])
      tags.push(...(await readVariant(door, key, coding)));
  }
  await visitHosted(door);
  for (const target of RULED_TARGETS)
    await visit(door, 'h', target, 'Referer: http://friend.test/\r\n');
  for (const target of [...GONE_TARGETS, ...GONE_TARGETS]) await visit(door, 'h', target, '');
  for (const target of [...CAPPED_TARGETS, ...CAPPED_TARGETS]) await visit(door, 'h', target, '');
  return etags;
}

/** Visits the hosted site in every way, so that memory knows what is there and what is not. */
async function visitHosted(door: TestServer): Promise<void> {
  for (const host of HOSTED_HOSTS) {
    for (const target of HOSTED_TARGETS) {
      for (const mode of ['navigate', 'cors', 'cors']) {
        await visit(
          door,
          host,
          target,
          `Sec-Fetch-Mode: ${mode}\r\nReferer: http://friend.test/\r\n`,
        );
      }
    }
  }
}

async function visit(
  door: TestServer,
  host: string,
  target: string,
  headers: string,
): Promise<void> {
  const line = connectTo(door);
  line.client.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`);
  await settle([line]);
  if (!line.received().toString('latin1').startsWith('HTTP/1.1 '))
    throw new Error(`no answer for ${target}`);
  line.client.destroy();
}

/** Tries until a variant is made. Its tag, or nothing for an object that has none. */
async function readVariant(door: TestServer, key: string, coding: string): Promise<string[]> {
  for (let tries = 0; tries < 500; tries++) {
    const answer = await ask(door, pathOf(PUBLIC_BUCKET, key), `Accept-Encoding: ${coding}\r\n`);
    if (!/\r\nvary: Accept-Encoding(?:\r\n|$)/.test(answer)) return [];
    if (answer.includes(`\r\ncontent-encoding: ${coding}\r\n`)) return [tagIn(answer)];
    await delay(10);
  }
  throw new Error(`${key} does not get compressed`);
}

/** Sends requests one by one to all of them. */
export async function warmUpWith(
  requests: Conversation,
  doors: readonly TestServer[],
): Promise<void> {
  for (const door of doors) {
    const line = connectTo(door);
    for (const request of requests) {
      line.client.write(Buffer.from(request));
      await settle([line]);
    }
    line.client.destroy();
  }
}

const tagIn = (head: string): string => /etag: "([^"]+)"/.exec(head)?.[1] ?? '';
const pathOf = (bucket: string, key: string) =>
  `/${bucket}/${encodeURIComponent(key).replaceAll('%2F', '/')}`;

/**
 * Bytes of a slice of a body that is too long to be read through memory at once: the memory core
 * cuts there.
 */
const SLICE_BYTES = 2 ** 16;

async function readTwice(door: TestServer, bucket: string, key: string): Promise<string> {
  const path = pathOf(bucket, key);
  const first = await ask(door, path, '');
  const sizeBytes = Number(/content-length: (\d+)/.exec(first)?.[1] ?? 0);
  for (let at = 0; at < sizeBytes; at += SLICE_BYTES)
    await ask(door, path, `Range: bytes=${at}-${at}\r\n`);
  const answer = await ask(door, path, '');
  if (!answer.includes('cache-status: quayside-memory; hit'))
    throw new Error(`${key} is not warm: ${answer}`);
  return tagIn(answer);
}

/** The head of the answer. */
async function ask(door: TestServer, path: string, headers: string): Promise<string> {
  const line = connectTo(door);
  line.client.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n${headers}\r\n`);
  await settle([line]);
  const [head = ''] = line.received().toString('latin1').split('\r\n\r\n');
  line.client.destroy();
  if (!/^HTTP\/1\.1 20[06] /.test(head)) throw new Error(`No answer for ${path}: ${head}`);
  return head;
}
