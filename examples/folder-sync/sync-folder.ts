// Makes a bucket’s prefix hold what a folder holds: sends what is new or changed and, if asked to,
// deletes what is gone.
//
//   QUAYSIDE_ENDPOINT=… QUAYSIDE_TOKEN=qst_… node sync-folder.ts ./site bucket [prefix/] [--delete]
import { openAsBlob } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { type Client, createClient } from 'quayside/client';

export type Synced = { readonly sent: string[]; readonly deleted: string[] };

/** Files under way at once. */
const PARALLEL = 8;

export async function syncFolder(
  client: Client,
  target: { readonly bucket: string; readonly prefix: string },
  folder: string,
  deletes: boolean,
): Promise<Synced> {
  const { bucket, prefix } = target;
  const stored = new Map<string, { readonly size: number; readonly changedAtMs: number }>();
  const query = { prefix, delimiter: '' };
  for await (const entry of client.objects.list(bucket, { query })) {
    if (entry.kind !== 'object') continue;
    const { key, size, lastModified } = entry;
    stored.set(key, { size: Number(size), changedAtMs: Date.parse(lastModified) });
  }

  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const keyOf = (path: string) =>
    prefix + path.slice(join(folder, sep).length).replaceAll(sep, '/');

  const sent: string[] = [];
  const queue = [...files];
  const sendSome = async () => {
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      const key = keyOf(path);
      const { size, mtimeMs } = await stat(path);
      const known = stored.get(key);
      if (known?.size === size && known.changedAtMs >= mtimeMs) continue;
      await client.upload(bucket, key, await openAsBlob(path));
      sent.push(key);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, sendSome));

  const kept = new Set(files.map(keyOf));
  const deleted = deletes ? [...stored.keys()].filter((key) => !kept.has(key)) : [];
  for (const key of deleted) await client.objects.delete(bucket, { query: { key } });
  return { sent: sent.sort(), deleted };
}

if (import.meta.main) {
  const [folder = '', bucket = '', prefix = ''] = process.argv
    .slice(2)
    .filter((text) => text !== '--delete');
  const { QUAYSIDE_ENDPOINT: endpoint = '', QUAYSIDE_TOKEN: token = '' } = process.env;
  const client = createClient({ endpoint, token });
  const deletes = process.argv.includes('--delete');
  const { sent, deleted } = await syncFolder(client, { bucket, prefix }, folder, deletes);
  for (const key of sent) process.stdout.write(`sent    ${key}\n`);
  for (const key of deleted) process.stdout.write(`deleted ${key}\n`);
}
