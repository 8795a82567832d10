// Goes on with what an earlier page left unfinished: reads the files again by their
// handles, or takes them from whoever drops them again, and sends what is missing.
import type { QueueFile } from 'quayside/client';
import { client, QuaysideError } from '../../../api/client.ts';
import { readRecords } from '../../../app/records.ts';
import { type Chosen, fileAt, type Handle } from '../choose/read-files.ts';
import { type Existing, lookAhead } from '../plan/look-ahead.ts';
import { sendFiles } from '../send/upload-store.ts';
import { forgetNow, type Interrupted, interrupted, type KeptBatch, type KeptFile } from './keep.ts';
import { findChosen } from './match-files.ts';

/** Files read at once by their handles. */
const READS_AT_ONCE = 16;
/** A server's clock may be behind this one by so much, milliseconds. */
const CLOCK_SLACK_MS = 60_000;

export type GoneOn = { readonly sent: number; readonly done: number; readonly missing: number };

type Permitted = Handle & {
  requestPermission?: (options: { mode: 'read' }) => Promise<PermissionState>;
};

/** Asks the browser to read again, then sends. NotAllowedError: somebody said no. */
export async function goOnByHandles(one: Interrupted): Promise<GoneOn> {
  for (const root of one.batch.roots as readonly Permitted[]) {
    const answer = (await root.requestPermission?.({ mode: 'read' })) ?? 'granted';
    if (answer !== 'granted') throw new DOMException('', 'NotAllowedError');
  }
  const files: QueueFile[] = [];
  const left = one.files.values();
  const readOn = async () => {
    for (const kept of left) {
      const file = await fileAt(one.batch.roots, kept.path);
      if (file !== null) files.push({ file, path: kept.path });
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readOn));
  return goOn(one, { files, roots: one.batch.roots });
}

/** Sends those of the files that belong to the batch and are not there yet. */
export async function goOn(one: Interrupted, chosen: Chosen): Promise<GoneOn> {
  const { batch, files: kept } = one;
  const again = findChosen(chosen.files);
  const matched = kept.filter((file) => again(file) !== undefined);
  const { bucket, prefix } = batch;
  const known = matched.map((file) => ({ ...(again(file) as QueueFile), key: file.key }));
  const found = await lookAhead({ bucket, prefix }, known, new AbortController().signal);
  const isDone = (file: KeptFile) =>
    isSentAlready(batch.createdAtMs, file.sizeBytes, file.options.ifMatch, found?.get(file.key));
  const sent = matched.filter((file) => !isDone(file));
  const files = sent.map((file): QueueFile => {
    const { file: now } = again(file) as QueueFile;
    const isSame = now.size === file.sizeBytes && now.lastModified === file.modifiedAtMs;
    const { path, key, options } = file;
    return { file: now, path, key, options, uploadId: isSame ? file.uploadId : null };
  });
  await forget(one, new Set(matched));
  sendFiles({ bucket, prefix }, files, chosen.roots);
  const done = matched.length - sent.length;
  return { sent: sent.length, done, missing: kept.length - matched.length };
}

/** Whether what is there is what the batch sent before its page ended. */
export function isSentAlready(
  begunAtMs: number,
  sizeBytes: number,
  replaced: string | undefined,
  existing: Existing | undefined,
): boolean {
  if (existing === undefined || existing.sizeBytes !== sizeBytes) return false;
  if (existing.etag === replaced) return false;
  return Date.parse(existing.modifiedAt) >= begunAtMs - CLOCK_SLACK_MS;
}

/** Takes everything of the batch back: no part stays on the server. */
export async function giveUp(one: Interrupted): Promise<void> {
  for (const { bucket, key, uploadId } of one.files) {
    if (uploadId === null) continue;
    await client.uploads.abort(bucket, uploadId, { query: { key } }).catch((error: unknown) => {
      if (!(error instanceof QuaysideError) || error.status !== 404) throw error;
    });
  }
  await forget(one, new Set(one.files));
}

/** Takes files off what is offered. */
async function forget(one: Interrupted, gone: ReadonlySet<KeptFile>): Promise<void> {
  await forgetFiles(one, gone);
  const files = one.files.filter((file) => !gone.has(file));
  interrupted.value = interrupted.value.flatMap((other) => {
    if (other !== one) return [other];
    return files.length === 0 ? [] : [{ ...one, files }];
  });
}

/** Forgets the records of files; of what is left the batch stays. */
async function forgetFiles(
  { batch, files }: Interrupted,
  gone: ReadonlySet<KeptFile>,
): Promise<void> {
  const keys = new Set([...gone].map(({ key }) => key));
  const records = await readRecords<KeptFile | KeptBatch>('quayside-uploads');
  const names = records
    .filter(
      ([, record]) => record.kind === 'file' && record.batch === batch.id && keys.has(record.key),
    )
    .map(([name]) => name);
  if (keys.size === files.length) names.push(`batch ${batch.id}`);
  await forgetNow(names);
}
