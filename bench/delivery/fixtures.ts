import { createWriteStream, openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AwsClient } from 'aws4fetch';
import { ACCESS_KEY, SECRET_KEY, type Server } from '../lib/servers.ts';
import { FILE_BYTES, type FileName } from './workloads.ts';

/** Bytes of one write; the pattern in them does not repeat at a power of two. */
const CHUNK_BYTES = 1024 * 1024;
export const BUCKET = 'hot';

/** Writes the files into a folder, their names as names. */
export async function writeFixtures(folder: string, names: readonly FileName[]): Promise<void> {
  const chunk = Buffer.alloc(CHUNK_BYTES, 'quayside is not nginx ');
  for (const name of names) {
    let leftBytes: number = FILE_BYTES[name];
    const chunks = function* () {
      for (; leftBytes > 0; leftBytes -= CHUNK_BYTES)
        yield chunk.subarray(0, Math.min(leftBytes, CHUNK_BYTES));
    };
    await pipeline(Readable.from(chunks()), createWriteStream(join(folder, name)));
  }
}

/** Puts the same files into a public bucket. Throws with what the server said. */
export async function publish(
  server: Server,
  folder: string,
  names: readonly FileName[],
): Promise<void> {
  const client = new AwsClient({
    accessKeyId: ACCESS_KEY,
    secretAccessKey: SECRET_KEY,
    service: 's3',
    region: 'auto',
  });
  const put = async (path: string, init: RequestInit) => {
    // A signature in the query leaves the body to fetch, which streams it from the file.
    const { url, headers } = await client.sign(`${server.url}${path}`, {
      method: 'PUT',
      headers: init.headers ?? {},
      aws: { signQuery: true, allHeaders: true },
    });
    const response = await fetch(url, { ...init, headers, method: 'PUT' });
    if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
  };
  await put(`/${BUCKET}`, {});
  const everyone = {
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: `arn:aws:s3:::${BUCKET}/*`,
  };
  await put(`/${BUCKET}?policy`, {
    body: JSON.stringify({ Version: '2012-10-17', Statement: [everyone] }),
  });
  for (const name of names)
    await put(`/${BUCKET}/${name}`, { body: await openAsBlob(join(folder, name)) });
}
