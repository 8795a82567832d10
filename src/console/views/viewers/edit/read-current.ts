// The present state of an object that somebody else saved, for the view of a clash.
import { client, QuaysideError } from '../../../api/client.ts';
import { objectSource } from '../bytes.ts';
import type { Theirs } from './clash.tsx';
import { toPlainLines } from './line-ends.ts';

/** Bytes of theirs that are read: more is no text that was edited here. */
const THEIRS_MAX_BYTES = 4 * 1024 * 1024;

/** Reads what is stored now; a deleted object is an empty text without facts. */
export async function readCurrent(bucket: string, key: string): Promise<Theirs> {
  try {
    const detail = await client.request('GET /buckets/{bucket}/object', {
      path: { bucket },
      query: { key },
    });
    const { versionId, etag, size, contentEncoding } = detail;
    const stored = { bucket, key, versionId, etag, contentEncoding, sizeBytes: Number(size) };
    const bytes = await objectSource(stored).read(0, THEIRS_MAX_BYTES);
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    return { detail, text: toPlainLines(text) };
  } catch (error) {
    const isGone = error instanceof QuaysideError && error.status === 404;
    if (isGone) return { detail: null, text: '' };
    throw error;
  }
}
