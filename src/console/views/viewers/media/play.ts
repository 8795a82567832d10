// Fills the queue of what is playing, and moves in it.
import { client } from '../../../api/client.ts';
import { kindOf } from '../kinds.ts';
import { type Queue, queue } from './queue.ts';

/** Files of a folder that are queued: a page of its listing. */
const QUEUE_MAX = 1000;

/** Begins to play an object at once; the rest of its folder follows when it is read. */
export async function playFolder(bucket: string, key: string): Promise<void> {
  const prefix = key.slice(0, key.lastIndexOf('/') + 1);
  const alone: Queue = { bucket, keys: [key], at: 0 };
  queue.value = alone;
  const listing = await client.request('GET /buckets/{bucket}/objects', {
    path: { bucket },
    query: { prefix, delimiter: '/', limit: QUEUE_MAX },
  });
  const keys = listing.items
    .filter((entry) => entry.kind === 'object')
    .map((entry) => entry.key)
    .filter((one) => kindOf(one, null) === 'audio');
  const at = keys.indexOf(key);
  // Something else was chosen, or it was closed, while the folder was read.
  if (queue.value === alone && at !== -1) queue.value = { bucket, keys, at };
}

/** Goes on to another of the queue; beyond its ends nothing happens. */
export function playNext(step: 1 | -1): boolean {
  const now = queue.value;
  if (now === null || now.keys[now.at + step] === undefined) return false;
  queue.value = { ...now, at: now.at + step };
  return true;
}
