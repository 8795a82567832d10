// The uploads of this page: one queue for all buckets and folders, which goes on
// under every view. Whatever brings files in calls `bringIn`; the dock shows it.
import { computed, signal } from '@preact/signals';
import {
  createUploadQueue,
  type QueueFile,
  type QueueItem,
  type QueueSnapshot,
} from 'quayside/client';
import { client, isReachable, QuaysideError, signedOut } from '../../../api/client.ts';
import { errorLine } from '../../../api/describe-error.ts';
import { invalidate } from '../../../api/query.ts';
import { showToast } from '../../../ui/toast.tsx';
import type { Handle } from '../choose/read-files.ts';
import { forgetFile, keepBatch } from '../resume/keep.ts';
import { digest } from './digest.ts';
import { uploadClient } from './upload-client.ts';

/** Files under way at once: a browser opens six connections to a host. */
const CONCURRENCY = 5;
/** Small files go in larger numbers, as long as all under way have so many bytes. */
const EAGER_BYTES = 2 * 1024 * 1024;
/** From so many files on their number says how long it takes, not only their bytes. */
const MANY_FILES = 50;
/** How often the dock is drawn anew at most, milliseconds: a load line moves twice a second. */
const SHOW_EVERY_MS = 500;
/** How often a folder that is shown is read again while files arrive in it, milliseconds. */
const REFRESH_EVERY_MS = 2000;

/** Where files go: a bucket and a folder of it. */
export type UploadTarget = { readonly bucket: string; readonly prefix: string };

/** The key that a file gets: its own, or its path below the folder. */
export const keyOf = ({ prefix }: UploadTarget, { key, path }: QueueFile): string =>
  key ?? prefix + path;

export const queue = createUploadQueue({
  client: uploadClient,
  bucket: '',
  concurrency: CONCURRENCY,
  eagerBytes: EAGER_BYTES,
  optionsFor: () => ({ digest }),
});

/** What the dock shows; it is a little older than the queue. */
export const snapshot = signal<QueueSnapshot>(queue.getSnapshot());
/** The folders that files of the list go to. */
export const targets = signal<readonly UploadTarget[]>([]);
/** Whether the dock is one line. */
export const isFolded = signal(true);
/** Whether all wait because the line is gone; they go on by themselves. */
export const isWaitingForLine = signal(false);

/** How many files are not over: they wait, move or stand still. */
export const openCount = computed(() => {
  const { waiting, sending, paused } = snapshot.value.totals.states;
  return waiting + sending + paused;
});

/**
 * Begins to send files to keys that are decided; `bringIn` looks before that. By
 * the handles `roots` they are found again after a reload.
 */
export function sendFiles(
  target: UploadTarget,
  files: readonly QueueFile[],
  roots: readonly Handle[] = [],
): void {
  if (files.length === 0) return;
  const { bucket, prefix } = target;
  const isKnown = targets.value.some((one) => one.bucket === bucket && one.prefix === prefix);
  if (!isKnown) targets.value = [...targets.value, target];
  const placed = files.map((one) => ({ bucket, ...one, key: keyOf(target, one) }));
  queue.add(
    keepBatch(
      target,
      placed.map((one) => ({ ...one, bucket })),
      roots,
    ),
  );
  if (isWaitingForLine.value) waitForLine();
  show();
}

/** The keys of a bucket that this page is sending. */
export function openKeys(bucket: string): ReadonlySet<string> {
  const open = queue.getSnapshot().items.filter((item) => {
    return item.bucket === bucket && item.state !== 'done' && item.state !== 'cancelled';
  });
  return new Set(open.map(({ key }) => key));
}

/** Over so long the speed of all is measured, milliseconds. */
const SPEED_WINDOW_MS = 8000;
const samples: { readonly atMs: number; readonly bytes: number; readonly files: number }[] = [];
/** How fast all goes together; the time left counts small files too. */
export const speed = signal<{ bytesPerSecond: number; secondsLeft: number | null }>({
  bytesPerSecond: 0,
  secondsLeft: null,
});

function measure(): void {
  const { totals } = snapshot.value;
  const { states, sentBytes, sizeBytes } = totals;
  const atMs = performance.now();
  samples.push({ atMs, bytes: sentBytes, files: states.done });
  while (samples.length > 2 && atMs - (samples[0]?.atMs ?? atMs) > SPEED_WINDOW_MS) samples.shift();
  const [first] = samples;
  const seconds = (atMs - (first?.atMs ?? atMs)) / 1000;
  if (first === undefined || seconds < 0.5 || states.sending === 0) {
    if (states.sending === 0) samples.length = 0;
    speed.value = { bytesPerSecond: 0, secondsLeft: null };
    return;
  }
  const bytesPerSecond = Math.max(0, (sentBytes - first.bytes) / seconds);
  const filesPerSecond = (states.done - first.files) / seconds;
  // Whichever ends later: large files go by bytes, thousands of small ones by number.
  const byBytes = bytesPerSecond > 0 ? (sizeBytes - sentBytes) / bytesPerSecond : null;
  const filesLeft = states.sending + states.waiting;
  const byFiles = filesPerSecond > 0 ? filesLeft / filesPerSecond : null;
  const isMany = filesLeft > MANY_FILES;
  const secondsLeft = isMany && byFiles !== null ? Math.max(byFiles, byBytes ?? 0) : byBytes;
  speed.value = { bytesPerSecond, secondsLeft };
}

let timer: ReturnType<typeof setTimeout> | undefined;

function show(): void {
  clearTimeout(timer);
  timer = undefined;
  snapshot.value = queue.getSnapshot();
  measure();
  forgetWhatIsOver();
  noticeFailures();
  refreshFolders();
}

queue.subscribe(() => {
  timer ??= setTimeout(show, SHOW_EVERY_MS);
});

let overBefore = 0;

/** What is over need not go on after a reload. */
function forgetWhatIsOver(): void {
  const { items, totals } = snapshot.value;
  const over = totals.states.done + totals.states.cancelled;
  if (over === overBefore) return;
  overBefore = over;
  for (const { state, bucket, key } of items) {
    if (state === 'done' || state === 'cancelled') forgetFile(bucket, key);
  }
}

let [doneBefore, refreshedAtMs] = [0, 0];

/** Lets views of the targets read again what has arrived in them. */
function refreshFolders(): void {
  const { done } = snapshot.value.totals.states;
  const isOver = openCount.value === 0;
  const isDue = isOver || performance.now() - refreshedAtMs > REFRESH_EVERY_MS;
  if (done === doneBefore || !isDue) return;
  if (done > doneBefore) {
    for (const bucket of new Set(targets.value.map((one) => one.bucket))) {
      invalidate(`folder ${bucket}`);
      if (isOver) invalidate(`bucket ${bucket}`);
    }
    if (isOver) invalidate('overview');
  }
  [doneBefore, refreshedAtMs] = [done, performance.now()];
}

/** How often a file was cut; what is cut again and again fails for another reason. */
const cuts = new Map<string, number>();
const CUTS_MAX = 5;

/** A lost line stops all at once and is said once; a lost session asks to sign in. */
function noticeFailures(): void {
  const { items, totals } = snapshot.value;
  if (totals.states.failed === 0) return;
  const failed = items.filter(({ state }) => state === 'failed');
  if (failed.some(({ error }) => error?.status === 401)) signedOut.value++;
  const cut = failed.filter(({ id, error }) => {
    return error?.code === 'NetworkFailure' && (cuts.get(id) ?? 0) < CUTS_MAX;
  });
  if (cut.length === 0) return;
  for (const { id } of cut) cuts.set(id, (cuts.get(id) ?? 0) + 1);
  // Retried ones wait like the others: when the line is back, all go on.
  queue.retry(cut.map(({ id }) => id));
  waitForLine();
}

/** First wait before the server is tried again, milliseconds; it doubles. */
const ASK_FIRST_MS = 1000;
const ASK_MAX_MS = 30_000;

/** What moved when the line went: what somebody paused before stays paused. */
let heldIds = new Set<string>();

function waitForLine(): void {
  for (const { id, state } of queue.getSnapshot().items) {
    if (state === 'waiting' || state === 'sending') heldIds.add(id);
  }
  queue.pause();
  if (isWaitingForLine.value) return;
  isWaitingForLine.value = true;
  isReachable.value = false;
  let waitMs = ASK_FIRST_MS;
  let waiting: ReturnType<typeof setTimeout>;
  const goOn = () => {
    removeEventListener('online', ask);
    clearTimeout(waiting);
    if (!isWaitingForLine.value) return;
    isWaitingForLine.value = false;
    isReachable.value = true;
    const ids = [...heldIds];
    heldIds = new Set();
    queue.resume(ids);
    show();
  };
  async function ask(): Promise<void> {
    clearTimeout(waiting);
    const answer = await fetch('/-/health', { cache: 'no-store' }).catch(() => null);
    if (answer !== null && answer.status < 500) return goOn();
    waitMs = Math.min(ASK_MAX_MS, waitMs * 2);
    waiting = setTimeout(ask, waitMs);
  }
  addEventListener('online', ask);
  waiting = setTimeout(ask, waitMs);
}

addEventListener('offline', () => {
  if (openCount.value === 0) return;
  waitForLine();
  show();
});

// Leaving loses what is under way, as far as it can't go on by itself.
addEventListener('beforeunload', (event) => {
  if (openCount.value > 0) event.preventDefault();
});

export function pauseUploads(ids?: readonly string[]): void {
  queue.pause(ids);
  show();
}

export function resumeUploads(ids?: readonly string[]): void {
  queue.resume(ids);
  show();
}

export function retryUploads(ids?: readonly string[]): void {
  cuts.clear();
  queue.retry(ids);
  show();
}

/** Sends a file over what somebody put there meanwhile: over exactly that. */
export async function replaceTaken({ id, bucket, key }: QueueItem): Promise<void> {
  const there = await client.objects.get(bucket, { query: { key } }).catch(nullWhereGone);
  queue.retry([id], there === null ? { ifNoneMatch: '*' } : { ifMatch: there.etag });
  show();
}

const nullWhereGone = (error: unknown): null => {
  if (error instanceof QuaysideError && error.status === 404) return null;
  showToast({ text: errorLine(error) });
  throw error;
};

/** Resolves when the file is there (true), or will not be (false). */
export function whenSettled(bucket: string, key: string): Promise<boolean> {
  return new Promise((resolve) => {
    const look = () => {
      const { items } = queue.getSnapshot();
      const item = items.findLast((one) => one.bucket === bucket && one.key === key);
      const state = item?.state ?? 'cancelled';
      if (state !== 'done' && state !== 'cancelled') return;
      stop();
      resolve(state === 'done');
    };
    const stop = queue.subscribe(look);
    look();
  });
}

/** Takes files back; resolves when nothing of them is left on the server. */
export async function cancelUploads(ids?: readonly string[]): Promise<void> {
  const cancelled = queue.cancel(ids);
  show();
  await cancelled;
  show();
}

/** Takes off the list what is over; with failures, which then are given up. */
export async function closeUploads(): Promise<void> {
  await queue.cancel();
  queue.clear();
  targets.value = [];
  doneBefore = 0;
  isFolded.value = true;
  show();
}
