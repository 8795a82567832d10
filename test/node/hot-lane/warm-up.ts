import { connectTo, type Door, KEYS, PUBLIC_BUCKET, settle } from './doors.ts';

/** Reads every object twice, so that all of them stand in memory; gives their entity tags, without quotes, by key. */
export async function warmUp(door: Door): Promise<ReadonlyMap<string, string>> {
  const etags = new Map<string, string>();
  for (const key of KEYS) {
    for (const status of [/^HTTP\/1\.1 200 /, /^HTTP\/1\.1 200 [\s\S]*cache-status: quayside-memory; hit/]) {
      const line = connectTo(door);
      const path = encodeURIComponent(key).replaceAll('%2F', '/');
      line.client.write(`GET /${PUBLIC_BUCKET}/${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
      await settle([line]);
      const answer = line.received().toString('latin1');
      if (!status.test(answer)) throw new Error(`${key} is not warm: ${answer.slice(0, 500)}`);
      etags.set(key, /etag: "([^"]+)"/.exec(answer)?.[1] ?? '');
      line.client.destroy();
    }
  }
  return etags;
}
