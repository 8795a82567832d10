// The records in KV: names and values of published read policies and pointers.
// hot-publisher.ts writes them, kv-lookup.ts reads them; nobody else knows the
// format (docs/storage-schema.md). Values are JSON texts, because a bulk read of KV
// gives texts only; inline bodies are base64.
import { sha256Hex } from '../../../crypto/hash.ts';
import { NO_SETTINGS } from '../../../domain/bucket-settings.ts';
import type {
  BucketId,
  BucketName,
  BucketReadPolicy,
  ObjectKey,
  Pointer,
} from '../../../domain/nouns.ts';
import { toReadPolicySettings } from '../../../domain/pointer.ts';

/**
 * How long a record may be believed after it was written, seconds: with the
 * isolate's own memory the longest that KV can show the past, however late a write
 * arrives. A write takes up to 60 s to reach all colos, a colo keeps what it read
 * for 30 s, and a record is renewed at 30 s: with 120 s a hot key never falls out
 * in between. Source: https://developers.cloudflare.com/kv/concepts/how-kv-works/
 */
export const KV_RECORD_TTL_SECONDS = 120;
/**
 * One lookup in so many goes to the index all the same, which so sees how hot the
 * key still is.
 */
export const KV_SAMPLING = 8;

/**
 * Formats of the values. A reader takes a version that it does not know for a miss.
 */
const POINTER_VERSION = 6;
const READ_POLICY_VERSION = 4;
/** Source: https://developers.cloudflare.com/kv/platform/limits/ */
const NAME_MAX_BYTES = 512;

/**
 * What every record says of itself: its number, when the index was read, until when
 * it holds (1970, milliseconds).
 */
export type RecordStamp = {
  readonly sequence: number;
  readonly atMs: number;
  readonly untilMs: number;
};
/** A read policy; null says that there is no such bucket. */
export type ReadPolicyRecord = RecordStamp & { readonly readPolicy: BucketReadPolicy | null };
/**
 * A pointer of one incarnation of the bucket; null says that there is none that the
 * public may read.
 */
export type PointerRecord = RecordStamp & {
  readonly bucketId: BucketId | null;
  /** Revision of the bucket when the index was read. */
  readonly revision: number;
  readonly pointer: Pointer | null;
};

/** The KV name of a bucket's read policy. */
export function readPolicyName(bucket: BucketName): string {
  return `g/${bucket}`;
}

const encoder = new TextEncoder();

/**
 * The KV name of a pointer: readable, or a digest of the key where that would be
 * too long for KV.
 */
export function pointerName(bucket: BucketName, key: ObjectKey): string {
  const name = `p/${bucket}/${key}`;
  const isShort =
    name.length * 3 <= NAME_MAX_BYTES || encoder.encode(name).length <= NAME_MAX_BYTES;
  return isShort ? name : `h/${bucket}/${sha256Hex(key)}`;
}

type StampJson = { readonly v: number; readonly s: number; readonly t: number; readonly u: number };
type ReadPolicyJson = StampJson & { readonly g: BucketReadPolicy | null };
type PointerJson = StampJson & {
  readonly b: BucketId | null;
  readonly r: number;
  /** `inlineBytes` is base64 here. */
  readonly p: (Omit<Pointer, 'inlineBytes'> & { readonly inlineBytes: string | null }) | null;
};

const stampJson = ({ sequence, atMs, untilMs }: RecordStamp) => ({
  s: sequence,
  t: atMs,
  u: untilMs,
});
const stampOf = ({ s, t, u }: StampJson): RecordStamp => ({ sequence: s, atMs: t, untilMs: u });

export function encodeReadPolicy(record: ReadPolicyRecord): string {
  return JSON.stringify({
    v: READ_POLICY_VERSION,
    ...stampJson(record),
    g: record.readPolicy,
  } satisfies ReadPolicyJson);
}

export function encodePointer(record: PointerRecord): string {
  const { bucketId, revision, pointer } = record;
  const p =
    pointer === null ? null : { ...pointer, inlineBytes: pointer.inlineBytes?.toBase64() ?? null };
  return JSON.stringify({
    v: POINTER_VERSION,
    ...stampJson(record),
    b: bucketId,
    r: revision,
    p,
  } satisfies PointerJson);
}

/** The record, or null for anything that this version did not write. */
export function decodeReadPolicy(text: string | null | undefined): ReadPolicyRecord | null {
  const json = parse<ReadPolicyJson>(text, READ_POLICY_VERSION);
  if (json === null) return null;
  const readPolicy =
    json.g === null
      ? null
      : { ...json.g, settings: { ...toReadPolicySettings(NO_SETTINGS), ...json.g.settings } };
  return { ...stampOf(json), readPolicy };
}

/** The record, or null for anything that this version did not write. */
export function decodePointer(text: string | null | undefined): PointerRecord | null {
  const json = parse<PointerJson>(text, POINTER_VERSION);
  if (json === null) return null;
  const { b, r, p } = json;
  const origin = { ...stampOf(json), bucketId: b, revision: r };
  if (p === null) return { ...origin, pointer: null };
  const inlineBytes = p.inlineBytes === null ? null : Uint8Array.fromBase64(p.inlineBytes);
  return { ...origin, pointer: { ...p, inlineBytes } as Pointer };
}

function parse<Json extends StampJson>(
  text: string | null | undefined,
  version: number,
): Json | null {
  if (text === null || text === undefined) return null;
  try {
    const json: Json = JSON.parse(text);
    return json.v === version ? json : null;
  } catch {
    return null;
  }
}
