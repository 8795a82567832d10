import { connectTo, type Door, HOSTED_HOSTS, KEYS, PUBLIC_BUCKET, SITE_BUCKET, SITE_KEYS, settle } from './doors.ts';
import { HOSTED_TARGETS } from './fuzz-requests.ts';

/**
 * Reads every object twice, so that all of them stand in memory; gives the tags of the public
 * bucket's, without quotes, by key.
 */
export async function warmUp(door: Door): Promise<ReadonlyMap<string, string>> {
  const etags = new Map<string, string>();
  for (const [bucket, keys] of [
    [SITE_BUCKET, SITE_KEYS],
    [PUBLIC_BUCKET, KEYS],
  ] as const) {
    for (const key of keys) etags.set(key, await readTwice(door, bucket, key));
  }
  for (const key of SITE_KEYS) etags.delete(key);
  await visitHosted(door);
  return etags;
}

/** Visits the hosted site in every way, so that memory knows what is there and what is not. */
async function visitHosted(door: Door): Promise<void> {
  for (const host of HOSTED_HOSTS) {
    for (const target of HOSTED_TARGETS) {
      for (const mode of ['navigate', 'cors', 'cors']) {
        const line = connectTo(door);
        const headers = `Host: ${host}\r\nSec-Fetch-Mode: ${mode}\r\nReferer: http://friend.test/\r\n`;
        line.client.write(`GET ${target} HTTP/1.1\r\n${headers}\r\n`);
        await settle([line]);
        if (!line.received().toString('latin1').startsWith('HTTP/1.1 ')) throw new Error(`no answer for ${target}`);
        line.client.destroy();
      }
    }
  }
}

async function readTwice(door: Door, bucket: string, key: string): Promise<string> {
  let etag = '';
  for (const expected of [/^HTTP\/1\.1 200 /, /^HTTP\/1\.1 200 [\s\S]*cache-status: quayside-memory; hit/]) {
    const line = connectTo(door);
    const path = encodeURIComponent(key).replaceAll('%2F', '/');
    line.client.write(`GET /${bucket}/${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
    await settle([line]);
    const answer = line.received().toString('latin1');
    if (!expected.test(answer)) throw new Error(`${key} is not warm: ${answer.slice(0, 500)}`);
    etag = /etag: "([^"]+)"/.exec(answer)?.[1] ?? '';
    line.client.destroy();
  }
  return etag;
}
