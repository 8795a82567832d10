// Proves that what rows refer to is there: all segments of versions and parts lie
// inside blobs that are whole and that the index counts as referenced. It names the
// objects that are hurt. check-folder.ts calls it.

import type { BlobId, ObjectBody, ObjectVersion, Segment } from '../../../domain/nouns.ts';
import {
  addMasterKeyUse,
  FIRST_VERSION,
  filterReferenced,
  type InventoryVersion,
  listCurrentVersions,
  listOlderVersions,
  type MasterKeyUses,
  readBlobRow,
  type VersionCursor,
} from '../../../index/maintenance/inventory.ts';
import {
  FIRST_PART,
  type InventoryPart,
  listStoredParts,
  type PartCursor,
} from '../../../index/maintenance/inventory-parts.ts';
import type { Sql } from '../../../ports/sql.ts';
import { type BlobDamage, blobFileName } from './check-blobs.ts';

/** The fields of a version or a part that proving its body needs. */
export type ProvableBody = ObjectBody &
  Pick<ObjectVersion, 'sizeBytes' | 'etag' | 'parts' | 'encryption'>;
/**
 * `isOpened`: the bytes are wrong; else the key is missing or damaged, and no byte
 * was read.
 */
type FailedProof = { readonly detail: string; readonly isOpened: boolean };
/**
 * Reads a body and compares it with its digests. `unproved`: only its client could.
 */
export type ProveBody = (body: ProvableBody) => Promise<'proved' | 'unproved' | FailedProof>;

/**
 * Damage that only reading a body shows. `suspected`: one of several blobs, under
 * one digest.
 */
export type ReadDamage = { readonly kind: 'damaged' | 'suspected'; readonly detail: string };

/**
 * An object that can't be read whole: a version, or a part by `uploadId` and
 * `partNumber`.
 */
export type HurtObject = {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
  readonly uploadId?: string;
  readonly partNumber?: number;
  readonly kind: BlobDamage['kind'];
  readonly detail: string;
};

export type CheckedRows = {
  objects: number;
  olderVersions: number;
  parts: number;
  provedBodies: number;
  unprovedBodies: number;
  hurtCount: number;
  /** The first HURT_MAX of them. */
  readonly hurt: HurtObject[];
  /** Blobs of bodies whose bytes are not what was written. */
  readonly readDamage: Map<BlobId, ReadDamage>;
  /** Versions that a master key protects directly, by its id. */
  readonly masterKeyUses: MasterKeyUses;
};

/** Rows read at a time; fewer where inline bodies of 16 KiB come along. */
const PAGE = 2000;
const PAGE_WITH_BODIES = 200;
const HURT_MAX = 100_000;

type Named = Omit<HurtObject, 'kind' | 'detail'>;
/** A row that refers to bytes, with the name of what it belongs to. */
export type CheckableRow = {
  readonly bucket: number;
  readonly named: Named;
  readonly body: ProvableBody;
};
/** `next`: the cursor; null behind the last row. */
type Page<Item, Cursor> = { readonly items: readonly Item[]; readonly next: Cursor | null };
type JudgedRow = CheckableRow & { readonly damage: BlobDamage | null };

/** Goes over all rows. `proveBody` null: no body is read. */
export async function checkRows(
  index: Sql,
  damagedBlobs: ReadonlyMap<BlobId, BlobDamage>,
  proveBody: ProveBody | null,
): Promise<CheckedRows> {
  const checked: CheckedRows = {
    objects: 0,
    olderVersions: 0,
    parts: 0,
    provedBodies: 0,
    unprovedBodies: 0,
    hurtCount: 0,
    hurt: [],
    readDamage: new Map(),
    masterKeyUses: new Map(),
  };
  const withBodies = proveBody !== null;
  const limit = withBodies ? PAGE_WITH_BODIES : PAGE;
  const note = (named: Named, damage: BlobDamage) => {
    checked.hurtCount += 1;
    if (checked.hurt.length < HURT_MAX) checked.hurt.push({ ...named, ...damage });
  };

  async function check(rows: readonly JudgedRow[]): Promise<void> {
    for (const row of rows) {
      if (row.damage !== null) note(row.named, row.damage);
      else if (proveBody !== null) await prove(row, proveBody);
    }
  }

  async function prove({ named, body }: CheckableRow, proveNow: ProveBody): Promise<void> {
    const proof = await proveNow(body);
    if (proof === 'proved') checked.provedBodies += 1;
    else if (proof === 'unproved') checked.unprovedBodies += 1;
    else if (areReferenced(index, body.segments)) {
      const suspects = proof.isOpened
        ? noteReadDamage(checked.readDamage, body.segments, proof.detail)
        : '';
      note(named, { kind: 'damaged', detail: `${suspects}${proof.detail}` });
    }
  }

  /**
   * Reads rows and their blobs' rows in one snapshot: a commit between would look
   * like damage.
   */
  const readPage = <Item, Cursor>(
    list: () => Page<Item, Cursor>,
    toRow: (item: Item) => CheckableRow,
  ) =>
    index.transaction(() => {
      const { items, next } = list();
      const rows = items.map((item): JudgedRow => {
        const row = toRow(item);
        return { ...row, damage: damageOf(index, row, damagedBlobs) };
      });
      return { items, rows, next };
    });

  for (const [list, counter] of [
    [listCurrentVersions, 'objects'],
    [listOlderVersions, 'olderVersions'],
  ] as const) {
    const listBehind = (after: VersionCursor) => {
      const { versions, next } = list(index, { after, limit, withBodies });
      return { items: versions, next };
    };
    for (let after: VersionCursor | null = FIRST_VERSION; after !== null; ) {
      const from: VersionCursor = after;
      const page = readPage(() => listBehind(from), rowOfVersion);
      checked[counter] += page.items.length;
      for (const { version } of page.items) countKey(checked.masterKeyUses, version);
      await check(page.rows);
      after = page.next;
    }
  }
  const listPartsBehind = (after: PartCursor) => {
    const items = listStoredParts(index, { after, limit });
    return { items, next: items.length < limit ? null : (items.at(-1) ?? null) };
  };
  for (let after: PartCursor | null = FIRST_PART; after !== null; ) {
    const from: PartCursor = after;
    const page = readPage(() => listPartsBehind(from), rowOfPart);
    checked.parts += page.items.length;
    await check(page.rows);
    after = page.next;
  }
  return checked;
}

export function rowOfVersion({ bucket, bucketName, version }: InventoryVersion): CheckableRow {
  const { key, versionId, isNull } = version;
  return {
    bucket,
    named: { bucket: bucketName, key, versionId: isNull ? 'null' : versionId },
    body: version,
  };
}

export function rowOfPart({
  bucket,
  bucketName,
  uploadId,
  upload,
  partNumber,
  sizeBytes,
  etag,
  segments,
}: InventoryPart): CheckableRow {
  const encryption = upload?.encryption ?? null;
  return {
    bucket,
    named: { bucket: bucketName, key: upload?.key ?? '', uploadId, partNumber },
    body: { sizeBytes, etag, segments, inlineBytes: null, parts: null, encryption },
  };
}

function countKey(uses: MasterKeyUses, { encryption }: ObjectVersion): void {
  if (encryption?.kind === 'server') addMasterKeyUse(uses, 'objects', encryption.wrappedKey);
}

/**
 * Notes the blobs of a body whose bytes are wrong, and returns the words that name
 * them.
 */
function noteReadDamage(
  damage: Map<BlobId, ReadDamage>,
  segments: readonly Segment[],
  detail: string,
): string {
  const [first, ...others] = new Set(segments.map(({ blobId }) => blobId));
  if (first === undefined) return '';
  if (others.length === 0) {
    const words = `${blobFileName(first)}: `;
    damage.set(first, { kind: 'damaged', detail: `${words}${detail}` });
    return words;
  }
  const words = `one of ${others.length + 1} blobs: `;
  for (const blobId of [first, ...others]) {
    if (damage.has(blobId)) continue;
    damage.set(blobId, { kind: 'suspected', detail: `${blobFileName(blobId)}, ${words}${detail}` });
  }
  return words;
}

function damageOf(
  index: Sql,
  { bucket, body }: CheckableRow,
  damagedBlobs: ReadonlyMap<BlobId, BlobDamage>,
): BlobDamage | null {
  for (const { blobId, offsetBytes, lengthBytes, packing } of body.segments) {
    const damage = damagedBlobs.get(blobId);
    if (damage !== undefined) return damage;
    const row = readBlobRow(index, bucket, blobId);
    const endBytes = packing?.plainBytes ?? row?.sizeBytes ?? 0;
    if (row !== null && row.refs > 0 && !row.isCondemned && offsetBytes + lengthBytes <= endBytes)
      continue;
    return { kind: 'damaged', detail: `The index knows too little of its blob ${blobId}.` };
  }
  return null;
}

function areReferenced(index: Sql, segments: readonly Segment[]): boolean {
  const blobIds = segments.map(({ blobId }) => blobId);
  return filterReferenced(index, blobIds).size === new Set(blobIds).size;
}
