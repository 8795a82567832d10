// Reads the bodies of a snapshot with few calls of the platform. Small files of one
// pack that lie beside each other come by one read of the blob store, and rows whose
// bodies were not pinned come in pages. Called for ZIP files, which take the bodies
// one after the other.
import { StorageError } from '../../domain/errors.ts';
import type { Segment } from '../../domain/nouns.ts';
import { withTimeout } from '../../ports/with-timeout.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { callsToRead } from './read-calls.ts';
import { type OpenedBody, openBody, type ReadableVersion } from './read-object.ts';
import type { Snapshot, SnapshotObject } from './snapshot-selection.ts';

/** Bytes of a blob that one call reads at most, in memory while its bodies are sent. */
const RUN_MAX_BYTES = 1024 * 1024;
/**
 * Bytes between two bodies that are read and dropped: R2 sends them in less time than
 * another call takes. Estimate.
 */
const GAP_MAX_BYTES = 64 * 1024;
/** Rows that one call reads again at most, and the bytes of bodies in these rows. */
const PAGE_ROWS = 100;
const PAGE_MAX_BYTES = 1024 * 1024;

/** Opens the body of an object of a snapshot, by its index in `snapshot.objects`. */
export type OpenSnapshotBody = (at: number) => Promise<OpenedBody['body']>;

/**
 * Sorts bodies so that few calls read them: those of one blob go by their offset to
 * where its first one stood. All others stay where they were.
 */
export function inReadingOrder(objects: readonly SnapshotObject[]): SnapshotObject[] {
  const firstAt = new Map<string, number>();
  const withOffsets = objects.map((object, at) => {
    const segment = runnableSegment(object.body);
    if (segment === null) return { object, group: at, offsetBytes: 0 };
    const group = firstAt.get(segment.blobId) ?? at;
    firstAt.set(segment.blobId, group);
    return { object, group, offsetBytes: segment.offsetBytes };
  });
  withOffsets.sort((a, b) => a.group - b.group || a.offsetBytes - b.offsetBytes);
  return withOffsets.map(({ object }) => object);
}

/** Counts the calls that reading all bodies takes: through the near tiers, or past them. */
export function callsOfBodies(
  core: Core,
  objects: readonly SnapshotObject[],
): { readonly throughTiers: number; readonly pastTiers: number } {
  let [throughTiers, pastTiers] = [0, 0];
  for (let at = 0; at < objects.length; ) {
    const body = objects[at]?.body ?? null;
    if (body === null) {
      const rows = pageFrom(objects, at);
      throughTiers += 1;
      pastTiers += 1;
      at += rows;
      continue;
    }
    const run = runFrom((number) => objects[number]?.body ?? null, at);
    const calls = callsToRead(core, body);
    throughTiers += run !== null && run.bodies > 1 ? 1 : calls;
    pastTiers += run === null ? calls : 1;
    at += run?.bodies ?? 1;
  }
  return { throughTiers, pastTiers };
}

/** Counts the calls for a body that is not pinned, besides those for its row. */
export function callsOfUnpinned(core: Core, body: ReadableVersion): number {
  return runnableSegment(body) === null ? callsToRead(core, body) : 1;
}

/**
 * Reads the bodies of a snapshot, each at most once and nearly in order: what was
 * read ahead waits in memory, 2 MiB at most. ConditionalRequestConflict for one that
 * was not pinned and has changed since. Errors and cost besides: those of openBody.
 */
export function createSnapshotReader(
  core: Core,
  bucket: BucketHandle,
  { objects, isPastTiers }: Snapshot,
): OpenSnapshotBody {
  const { blobStore } = core.ports;
  /** Reads of rows under way, and the rows that have come, by index. */
  const reading = new Map<number, Promise<unknown>>();
  const rows = new Map<number, ReadableVersion | null>();
  /** Bytes of bodies that one read brings together, by index. */
  const runs = new Map<number, Promise<Uint8Array>>();
  /** The last body that was begun. Rows may come in another order than they were read. */
  let lastBegun = -1;

  const bodyAt = (at: number): ReadableVersion | null => objects[at]?.body ?? rows.get(at) ?? null;

  async function readRows(from: number, count: number): Promise<void> {
    const page = objects.slice(from, from + count);
    const versions = await bucket.call('getObjects', { keys: page.map(({ key }) => key) });
    for (const [index, { versionId }] of page.entries()) {
      const version = versions[index] ?? null;
      rows.set(from + index, version?.versionId === versionId ? readable(version) : null);
    }
  }

  async function rowAt(at: number, object: SnapshotObject): Promise<ReadableVersion> {
    if (!reading.has(at)) {
      const count = pageFrom(objects, at);
      const page = readRows(at, count);
      for (let next = at; next < at + count; next++) reading.set(next, page);
    }
    await reading.get(at);
    reading.delete(at);
    return rows.get(at) ?? readOlder(bucket, object);
  }

  /** Reads the stored bytes of a body by one call, which may serve others; else null. */
  function bytesAt(at: number): Promise<Uint8Array> | null {
    const known = runs.get(at);
    runs.delete(at);
    if (known !== undefined) return known;
    const isAhead = (number: number) => number === at || number > lastBegun;
    const run = runFrom((number) => (isAhead(number) ? bodyAt(number) : null), at);
    lastBegun = Math.max(lastBegun, at);
    if (run === null || (run.bodies === 1 && !isPastTiers)) return null;
    const { segment } = run;
    const bytes = withTimeout(core.settings.tierLimitMs, 'the bucket', () =>
      blobStore.read(segment.blobId, segment),
    );
    // Whoever waits for it hears of its failure; a reader that leaves does not wait.
    bytes.catch(() => undefined);
    const bytesOf = async (number: number): Promise<Uint8Array> => {
      const { offsetBytes, lengthBytes } = runnableSegment(bodyAt(number)) ?? segment;
      const start = offsetBytes - segment.offsetBytes;
      return (await bytes).subarray(start, start + lengthBytes);
    };
    for (let next = at + 1; next < at + run.bodies; next++) {
      const later = bytesOf(next);
      later.catch(() => undefined);
      runs.set(next, later);
    }
    return bytesOf(at);
  }

  return async (at) => {
    const object = objects[at];
    if (object === undefined) return null;
    const body = object.body ?? (await rowAt(at, object));
    const pending = bytesAt(at);
    rows.delete(at);
    const bytes = await pending;
    const stored: ReadableVersion =
      bytes === null ? body : { ...body, segments: [], inlineBytes: bytes };
    const whole = { offsetBytes: 0, lengthBytes: object.sizeBytes };
    return (await openBody(core, stored, whole)).body;
  };
}

/** The one segment of a body that a single read brings whole; null for any other body. */
function runnableSegment(body: ReadableVersion | null): Segment | null {
  if (body === null || body.inlineBytes !== null) return null;
  const [segment, another] = body.segments;
  if (segment === undefined || another !== undefined || segment.packing !== undefined) return null;
  return segment.lengthBytes <= RUN_MAX_BYTES ? segment : null;
}

/**
 * Finds the range that one call reads from a body on, and how many bodies lie in it one
 * after the other. Null: one read does not bring this body.
 */
function runFrom(
  bodyAt: (at: number) => ReadableVersion | null,
  from: number,
): { readonly segment: Segment; readonly bodies: number } | null {
  const first = runnableSegment(bodyAt(from));
  if (first === null) return null;
  const { blobId, offsetBytes } = first;
  let endBytes = offsetBytes + first.lengthBytes;
  for (let at = from + 1; ; at++) {
    const next = runnableSegment(bodyAt(at));
    const isBeside =
      next !== null &&
      next.blobId === blobId &&
      next.offsetBytes >= offsetBytes &&
      next.offsetBytes - endBytes <= GAP_MAX_BYTES &&
      next.offsetBytes + next.lengthBytes - offsetBytes <= RUN_MAX_BYTES;
    if (!isBeside) {
      const segment = { blobId, offsetBytes, lengthBytes: endBytes - offsetBytes };
      return { segment, bodies: at - from };
    }
    endBytes = Math.max(endBytes, next.offsetBytes + next.lengthBytes);
  }
}

/** Counts the rows that one call reads again from that one on: those not pinned. */
function pageFrom(objects: readonly SnapshotObject[], from: number): number {
  let bytes = 0;
  let at = from;
  for (; at < objects.length && at < from + PAGE_ROWS; at++) {
    const { body, isInline, sizeBytes } = objects[at] as SnapshotObject;
    bytes += isInline ? sizeBytes : 0;
    if (body !== null || (at > from && bytes > PAGE_MAX_BYTES)) break;
  }
  return Math.max(1, at - from);
}

/** Picks what is needed of a version to open it. */
export function readable(version: ReadableVersion): ReadableVersion {
  const { sizeBytes, encryption } = version;
  return version.inlineBytes === null
    ? { sizeBytes, encryption, segments: version.segments, inlineBytes: null }
    : { sizeBytes, encryption, segments: [], inlineBytes: version.inlineBytes };
}

/**
 * Reads a version that is not its key's current one; a bucket with versioning has it.
 */
async function readOlder(
  bucket: BucketHandle,
  { key, versionId }: SnapshotObject,
): Promise<ReadableVersion> {
  const stored = await bucket.call('getVersion', { key, versionId });
  if (stored?.kind === 'object') return stored.object;
  throw new StorageError('ConditionalRequestConflict', {
    detail: `${key} has changed while it was being downloaded.`,
  });
}
