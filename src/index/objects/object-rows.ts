// How an object version, its segments and its parts stand in rows, and back. The
// columns of a row are what listings and conditions need; everything else is one
// JSON text, `detail`, whose shape only this file knows. A change of that shape is
// a migration in index-schema.ts.

import { StorageError } from '../../domain/errors.ts';
import type {
  AccountId,
  BlobId,
  DeleteMarker,
  ObjectBody,
  ObjectHeaders,
  ObjectKey,
  ObjectPart,
  ObjectVersion,
  Segment,
  VersionId,
} from '../../domain/nouns.ts';
import type { ObjectFacts, ObjectLock } from '../../domain/object-facts.ts';
import { joinBlobId, OWN_LENGTH, partOfBlobId } from '../../domain/uploads/upload-rows.ts';
import type { Sql } from '../../ports/sql.ts';
import { decodeChecksumKind, type SummaryRow } from '../keys/summary-rows.ts';

/**
 * A version as it is read: its owner under a name that no column of a bucket has.
 */
export type VersionRow = Omit<SummaryRow, 'owner_id'> & {
  readonly object_owner_id: string | null;
  readonly version_id: string;
  readonly is_null: number;
  readonly detail: string;
  readonly inline_bytes: Uint8Array | null;
};

/**
 * Segments in a row: runs of one owner bucket, each `[owner, name, offset, length,
 * name, offset, length, …]`. Behind the length of a compressed one stand
 * `frameBytes, plainBytes, storedBytes`: a number where else the next name is. Blobs of
 * one upload's parts are a run, too: `owner*tag`, and names without the tag.
 */
type SegmentRuns = readonly (readonly (string | number)[])[];
type Detail = Partial<Pick<ObjectFacts, 'acl' | 'tags' | 'lock' | 'encryption'>> & {
  readonly headers?: ObjectHeaders;
  readonly userMetadata?: Readonly<Record<string, string>>;
  readonly checksum?: string;
  readonly segments?: SegmentRuns;
  /** `[partNumber, sizeBytes, checksum, partNumber, …]` */
  readonly parts?: readonly (number | string | null)[];
};

/**
 * Longest JSON text of segments or of a whole detail, in bytes. A row of a Durable
 * Object holds 2 MB
 * (https://developers.cloudflare.com/durable-objects/platform/limits/), the rest is
 * for the other columns. 10,000 parts with SHA-256 checksums take 1.1 MB, 70,000
 * pieces of one blob 1.9 MB (measured 2026-11).
 */
const JSON_MAX_BYTES = 1_900_000;

const encoder = new TextEncoder();

/**
 * The JSON text, or InvalidRequest when it would not fit into a row: an object
 * stitched from very many pieces.
 */
function encodeBounded(value: unknown): string {
  const text = JSON.stringify(value);
  const isSurelyShort = text.length * 3 <= JSON_MAX_BYTES;
  if (!isSurelyShort && encoder.encode(text).length > JSON_MAX_BYTES) {
    throw new StorageError('InvalidRequest', {
      detail:
        'The object would consist of too many pieces. ' +
        'Upload it anew instead of copying ranges together.',
    });
  }
  return text;
}

/**
 * Encodes segments. A blob id is `{owner bucket id}/{name}`: the owner is written
 * once for a run of segments.
 */
function toRuns(segments: readonly Segment[]): SegmentRuns {
  const runs: (string | number)[][] = [];
  let lastOwner: string | null = null;
  for (const { blobId, offsetBytes, lengthBytes, packing } of segments) {
    const [owner, name] = splitBlobId(blobId);
    if (owner !== lastOwner) runs.push([owner]);
    lastOwner = owner;
    runs.at(-1)?.push(name, offsetBytes, lengthBytes);
    if (packing !== undefined)
      runs.at(-1)?.push(packing.frameBytes, packing.plainBytes, packing.storedBytes);
  }
  return runs;
}

/** Stands between the owner of a run and the tag of its upload; no id contains it. */
const TAG_MARK = '*';

/** A blob id in two: what a run begins with, and the rest. */
function splitBlobId(blobId: BlobId): readonly [owner: string, name: string] {
  const part = partOfBlobId(blobId);
  if (part !== null) return [`${part.owner}${TAG_MARK}${part.tag}`, `${part.own}${part.number}`];
  const nameAt = blobId.lastIndexOf('/') + 1;
  return [blobId.slice(0, nameAt), blobId.slice(nameAt)];
}

/** The inverse of `splitBlobId`. */
function toBlobId(owner: string, name: string): BlobId {
  const tagAt = owner.indexOf(TAG_MARK);
  if (tagAt < 0) return `${owner}${name}` as BlobId;
  return joinBlobId({
    owner: owner.slice(0, tagAt),
    own: name.slice(0, OWN_LENGTH),
    tag: owner.slice(tagAt + TAG_MARK.length),
    number: name.slice(OWN_LENGTH),
  });
}

function fromRuns(runs: SegmentRuns): Segment[] {
  const segments: Segment[] = [];
  for (const run of runs) {
    for (let at = 1; at < run.length; ) {
      const blobId = toBlobId(`${run[0]}`, `${run[at]}`);
      const segment = {
        blobId,
        offsetBytes: Number(run[at + 1]),
        lengthBytes: Number(run[at + 2]),
      };
      at += 3;
      if (typeof run[at] !== 'number') {
        segments.push(segment);
        continue;
      }
      const [frameBytes, plainBytes, storedBytes] = [
        Number(run[at]),
        Number(run[at + 1]),
        Number(run[at + 2]),
      ];
      segments.push({ ...segment, packing: { frameBytes, plainBytes, storedBytes } });
      at += 3;
    }
  }
  return segments;
}

/** InvalidRequest when there are too many. */
export function encodeSegments(segments: readonly Segment[]): string {
  return encodeBounded(toRuns(segments));
}

/** What `encodeSegments` wrote. */
export function decodeSegments(text: string): Segment[] {
  return fromRuns(JSON.parse(text) as SegmentRuns);
}

function decodeParts(flat: readonly (number | string | null)[]): ObjectPart[] {
  const parts: ObjectPart[] = [];
  for (let at = 0; at < flat.length; at += 3) {
    const checksum = flat[at + 2];
    parts.push({
      partNumber: Number(flat[at]),
      sizeBytes: Number(flat[at + 1]),
      checksum: typeof checksum === 'string' ? checksum : null,
    });
  }
  return parts;
}

/**
 * InvalidRequest when the version has too many segments and parts for a row.
 * `segments`: other ones, where an inline body will lie.
 */
export function encodeDetail(
  version: ObjectVersion,
  segments: readonly Segment[] = version.segments,
): string {
  const detail: Detail = {
    ...(isEmpty(version.headers) ? {} : { headers: version.headers }),
    ...(isEmpty(version.userMetadata) ? {} : { userMetadata: version.userMetadata }),
    ...(version.checksum === null ? {} : { checksum: version.checksum.value }),
    ...(segments.length === 0 ? {} : { segments: toRuns(segments) }),
    ...(version.parts === null
      ? {}
      : {
          parts: version.parts.flatMap((part) => [part.partNumber, part.sizeBytes, part.checksum]),
        }),
    ...(version.acl === null ? {} : { acl: version.acl }),
    ...(isEmpty(version.tags) ? {} : { tags: version.tags }),
    ...(version.lock === null ? {} : { lock: version.lock }),
    ...(version.encryption === null ? {} : { encryption: version.encryption }),
  };
  return encodeBounded(detail);
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}

/** The segments in a detail: what a row references. */
export function segmentsOfDetail(text: string): readonly Segment[] {
  return fromRuns((JSON.parse(text) as Detail).segments ?? []);
}

/** The detail of a version's row. */
export function detailOfRow(
  sql: Sql,
  table: 'objects' | 'versions',
  bucket: number,
  row: { readonly key: string; readonly version_id: string },
): string {
  const [stored] = sql.all<{ detail: string }>(
    `SELECT coalesce(o.detail, x.detail) AS detail
     FROM ${table} AS o LEFT JOIN object_bodies AS x ON x.id = o.body_id
     WHERE o.bucket = ? AND o.key = ? AND o.version_id = ?`,
    bucket,
    row.key,
    row.version_id,
  );
  return stored?.detail ?? '{}';
}

/**
 * What compression needs of a version besides its columns; null: its bytes stand in
 * the row, are encrypted, or are compressed already.
 */
export function compressionFactsOf(
  text: string,
): Pick<ObjectVersion, 'headers' | 'segments'> | null {
  const { headers = {}, segments: runs = [], encryption } = JSON.parse(text) as Detail;
  const segments = fromRuns(runs);
  const isPlain =
    encryption === undefined &&
    segments.length > 0 &&
    segments.every((one) => one.packing === undefined);
  return isPlain ? { headers, segments } : null;
}

/** What lifecycle rules need of a version besides its columns. */
export function factsOfDetail(text: string): Pick<ObjectFacts, 'tags' | 'lock'> {
  // Most rows have neither, and their text says so without being read again.
  if (!text.includes('"tags":') && !text.includes('"lock":')) return { tags: {}, lock: null };
  const { tags = {}, lock = null } = JSON.parse(text) as Detail;
  return { tags, lock };
}

/** The grants of a version, out of its detail; null: it has no list of its own. */
export function aclOfDetail(text: string): ObjectFacts['acl'] {
  return text.includes('"acl":') ? ((JSON.parse(text) as Detail).acl ?? null) : null;
}

/** The lock of a version, out of its detail. */
export function lockOfDetail(text: string): ObjectLock | null {
  // Most rows have no lock, and their text says so without being read again.
  return text.includes('"lock":') ? ((JSON.parse(text) as Detail).lock ?? null) : null;
}

/**
 * The version of a row, whose `detail` and inline bytes the query has read from
 * wherever they stand.
 */
export function decodeVersion(row: VersionRow): ObjectVersion {
  const detail = JSON.parse(row.detail) as Detail;
  const kind = decodeChecksumKind(row);
  const body: ObjectBody =
    row.inline_bytes === null
      ? { segments: fromRuns(detail.segments ?? []), inlineBytes: null }
      : { segments: [], inlineBytes: row.inline_bytes };
  return {
    key: row.key as ObjectKey,
    versionId: row.version_id as VersionId,
    isNull: row.is_null === 1,
    ownerId: row.object_owner_id as AccountId | null,
    acl: detail.acl ?? null,
    tags: detail.tags ?? {},
    lock: detail.lock ?? null,
    encryption: detail.encryption ?? null,
    sizeBytes: row.size_bytes,
    etag: row.etag,
    lastModifiedMs: row.last_modified_ms,
    storageClass: row.storage_class,
    headers: detail.headers ?? {},
    userMetadata: detail.userMetadata ?? {},
    checksum:
      kind === null || detail.checksum === undefined ? null : { ...kind, value: detail.checksum },
    parts: detail.parts === undefined ? null : decodeParts(detail.parts),
    ...body,
  };
}

/** The column that distinguishes delete markers in `versions`. */
export type MarkerRow = { readonly is_marker: number };

/** The detail of a delete marker: of one that a deletion made, and one of a move. */
export const MARKER_DETAILS = { deleted: '{}', moved: '{"isOfMove":true}' } as const;

/** The delete marker of a row. */
export function decodeMarker(row: VersionRow): DeleteMarker {
  return {
    ...(row.detail === MARKER_DETAILS.moved ? { isOfMove: true } : {}),
    key: row.key as ObjectKey,
    versionId: row.version_id as VersionId,
    isNull: row.is_null === 1,
    lastModifiedMs: row.last_modified_ms,
    ownerId: row.object_owner_id as AccountId | null,
  };
}
