// What becomes of each file of a batch: where the key is free it is sent, where it is
// taken somebody decides. Conditions make that safe against whoever writes meanwhile.
import type { QueueFile, UploadOptions } from 'quayside/client';
import { keyOf, type UploadTarget } from '../send/upload-store.ts';
import { type Existing, type LookAhead, lookAhead } from './look-ahead.ts';
import { type Price, priceOf } from './price.ts';

export type Choice = 'replace' | 'skip' | 'both' | 'newer';

export type Clash = {
  readonly file: QueueFile;
  readonly key: string;
  readonly existing: Existing;
};

export type Plan = {
  readonly target: UploadTarget;
  readonly files: readonly QueueFile[];
  /** Files whose key is free. */
  readonly fresh: readonly QueueFile[];
  readonly clashes: readonly Clash[];
  /** False: the role may write and not look. What is there then stays. */
  readonly isKnown: boolean;
  readonly bytes: number;
  readonly price: Price;
  readonly found: LookAhead;
};

export async function makePlan(
  target: UploadTarget,
  files: readonly QueueFile[],
  signal: AbortSignal,
): Promise<Plan> {
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const load = { bucket: target.bucket, storageClass: 'STANDARD', bytes, objects: files.length };
  const [found, price] = await Promise.all([
    lookAhead(target, files, signal),
    priceOf(load, signal),
  ]);
  const fresh: QueueFile[] = [];
  const clashes: Clash[] = [];
  for (const file of files) {
    const key = keyOf(target, file);
    const existing = found?.get(key);
    if (existing === undefined) fresh.push(file);
    // A folder that is there already needs nobody.
    else if (!key.endsWith('/')) clashes.push({ file, key, existing });
  }
  return { target, files, fresh, clashes, isKnown: found !== null, bytes, price, found };
}

/** What a choice means for one file: it stays away, goes over the other, or beside it. */
export function outcome(choice: Choice, { file, existing }: Clash): 'skip' | 'replace' | 'both' {
  if (choice !== 'newer') return choice;
  return file.file.lastModified > Date.parse(existing.modifiedAt) ? 'replace' : 'skip';
}

/** The files to be sent, each with its key and condition. */
export function filesOfPlan(
  plan: Plan,
  choiceOf: (clash: Clash) => Choice,
  options: UploadOptions = {},
): QueueFile[] {
  const isNew = { ...options, ifNoneMatch: '*' } as const;
  const files: QueueFile[] = plan.fresh.map((file) => ({ ...file, options: isNew }));
  const taken = new Set(plan.found?.keys());
  for (const clash of plan.clashes) {
    const { file, key, existing } = clash;
    const result = outcome(choiceOf(clash), clash);
    if (result === 'replace') {
      files.push({ ...file, key, options: { ...options, ifMatch: existing.etag } });
    } else if (result === 'both') {
      const free = freeKey(key, taken);
      taken.add(free);
      files.push({ ...file, key: free, options: isNew });
    }
  }
  return files;
}

/** `a (2).tar` beside `a.tar`; the condition catches a number that was taken unseen. */
export function freeKey(key: string, taken: ReadonlySet<string>): string {
  const dot = key.lastIndexOf('.');
  const nameStart = key.lastIndexOf('/') + 1;
  const end = dot > nameStart ? dot : key.length;
  for (let number = 2; ; number++) {
    const candidate = `${key.slice(0, end)} (${number})${key.slice(end)}`;
    if (!taken.has(candidate)) return candidate;
  }
}
