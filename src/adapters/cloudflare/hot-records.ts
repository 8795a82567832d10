// What stands in KV: names and values of published gates and pointers. hot-publisher.ts writes them, kv-hot-metadata.ts
// reads them; nobody else knows the format. It is in docs/storage-schema.md.
//
// Values are JSON texts, because a bulk read of KV gives texts only; inline bodies are base64 inside.
import { sha256Hex } from '../../crypto/hash.ts';
import { NO_SETTINGS } from '../../ports/bucket-settings.ts';
import type { BucketGate, BucketId, BucketName, ObjectKey, Pointer } from '../../ports/domain.ts';
import { toGateSettings } from '../../ports/pointer.ts';

/** Formats of the values. A reader takes a version that it does not know for a miss. */
const POINTER_VERSION = 2;
/** 2 has the settings of the bucket; the program that wrote 1 knew none, so its gates stand for buckets without. */
const GATE_VERSION = 2;
const GATE_VERSION_WITHOUT_SETTINGS = 1;
/** Source: https://developers.cloudflare.com/kv/platform/limits/ */
const NAME_MAX_BYTES = 512;

/** A gate with the number of the commit that it shows; null says that there is no such bucket. */
export type GateRecord = { readonly sequence: number; readonly gate: BucketGate | null };
/** A pointer of one life of the bucket, likewise; null says that the key was deleted. */
export type PointerRecord = {
  readonly sequence: number;
  readonly bucketId: BucketId | null;
  readonly pointer: Pointer | null;
};

/** The KV name of a bucket's gate. */
export function gateName(bucket: BucketName): string {
  return `g/${bucket}`;
}

const encoder = new TextEncoder();

/** The KV name of a pointer: readable, or a digest of the key where that would be too long for KV. */
export function pointerName(bucket: BucketName, key: ObjectKey): string {
  const name = `p/${bucket}/${key}`;
  const isShort = name.length * 3 <= NAME_MAX_BYTES || encoder.encode(name).length <= NAME_MAX_BYTES;
  return isShort ? name : `h/${bucket}/${sha256Hex(key)}`;
}

type GateJson = {
  readonly v: number;
  readonly s: number;
  /** A setting that is missing was not set. */
  readonly g: (Omit<BucketGate, 'settings'> & { readonly settings?: Partial<BucketGate['settings']> }) | null;
};
type PointerJson = {
  readonly v: number;
  readonly s: number;
  readonly b: BucketId | null;
  /** `inlineBytes` is base64 here. */
  readonly p: (Omit<Pointer, 'inlineBytes'> & { readonly inlineBytes: string | null }) | null;
};

export function encodeGate({ sequence, gate }: GateRecord): string {
  return JSON.stringify({ v: GATE_VERSION, s: sequence, g: gate } satisfies GateJson);
}

export function encodePointer({ sequence, bucketId, pointer }: PointerRecord): string {
  const p = pointer === null ? null : { ...pointer, inlineBytes: pointer.inlineBytes?.toBase64() ?? null };
  return JSON.stringify({ v: POINTER_VERSION, s: sequence, b: bucketId, p } satisfies PointerJson);
}

/** The record, or null for anything that neither this nor the version before wrote. */
export function decodeGate(text: string | null | undefined): GateRecord | null {
  const json = parse<GateJson>(text, GATE_VERSION, GATE_VERSION_WITHOUT_SETTINGS);
  if (json === null) return null;
  const gate = json.g === null ? null : { ...json.g, settings: { ...toGateSettings(NO_SETTINGS), ...json.g.settings } };
  return { sequence: json.s, gate };
}

/** The record, or null for anything that this version did not write. */
export function decodePointer(text: string | null | undefined): PointerRecord | null {
  const json = parse<PointerJson>(text, POINTER_VERSION);
  if (json === null) return null;
  const { s, b, p } = json;
  if (p === null) return { sequence: s, bucketId: b, pointer: null };
  const inlineBytes = p.inlineBytes === null ? null : Uint8Array.fromBase64(p.inlineBytes);
  return { sequence: s, bucketId: b, pointer: { ...p, inlineBytes } as Pointer };
}

function parse<Json extends { readonly v: number }>(
  text: string | null | undefined,
  ...versions: readonly number[]
): Json | null {
  if (text === null || text === undefined) return null;
  try {
    const json: Json = JSON.parse(text);
    return versions.includes(json.v) ? json : null;
  } catch {
    return null;
  }
}
