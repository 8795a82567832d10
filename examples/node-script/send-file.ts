// Sends a file and prints a link to it that works for a day. Ended by Ctrl-C or a crash, the same
// command goes on where it was.
//
//   QUAYSIDE_ENDPOINT=… QUAYSIDE_ACCESS_KEY=… QUAYSIDE_SECRET_KEY=… \
//     node send-file.ts film.mp4 bucket
import { openAsBlob } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { createClient, QuaysideError, type UploadOptions } from 'quayside/client';

const [path = '', bucket = ''] = process.argv.slice(2);
const { QUAYSIDE_ENDPOINT = '', QUAYSIDE_ACCESS_KEY = '', QUAYSIDE_SECRET_KEY = '' } = process.env;
const client = createClient({
  endpoint: QUAYSIDE_ENDPOINT,
  accessKey: { id: QUAYSIDE_ACCESS_KEY, secret: QUAYSIDE_SECRET_KEY },
});

const key = basename(path);
/** Holds the id of an unfinished upload, beside the file. */
const notePath = `${path}.quayside-upload`;
const options: UploadOptions = {
  onUploadId: (uploadId) => void writeFile(notePath, uploadId),
  onProgress({ sentBytes, totalBytes, bytesPerSecond }) {
    if (!process.stderr.isTTY) return;
    const percent = Math.floor((100 * sentBytes) / (totalBytes || 1));
    process.stderr.write(`\r${percent} % at ${(bytesPerSecond / 1e6).toFixed(1)} MB/s `);
  },
};

try {
  const file = await openAsBlob(path);
  const uploadId = await readFile(notePath, 'utf8').catch(() => null);
  await (uploadId === null
    ? client.upload(bucket, key, file, options)
    : client.resumeUpload({ bucket, key, uploadId }, file, options));
  await rm(notePath, { force: true });
  const { items } = await client.objects.presign(bucket, {
    body: { requests: [{ operation: 'get', key }], expiresSeconds: 86_400 },
  });
  process.stdout.write(`${items[0]?.url}\n`);
} catch (error) {
  if (!(error instanceof QuaysideError)) throw error;
  process.stderr.write(`${error.code}: ${error.message} ${error.hint}\n`);
  process.exitCode = 1;
}
