// What tests of encryption share: clients' keys, the ways an object can be encrypted, and writing
// and reading with them.

import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Core } from '../../../src/core/core.ts';
import type { CustomerKey, RequestedEncryption } from '../../../src/core/encryption/envelope.ts';
import { openBody } from '../../../src/core/objects/read-object.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import type { ByteRange } from '../../../src/domain/byte-range.ts';
import type { ObjectVersion } from '../../../src/domain/nouns.ts';
import { isSameBytes } from '../../contract/bodies.ts';
import { bodyOf, putBytes } from '../memory-core.ts';
import { copyOf } from '../multipart-kit.ts';

export const code = (expected: string) => expect.objectContaining({ code: expected });
/** Compares large bodies, for which `toEqual` would take seconds. */
export function expectBytes(found: Uint8Array, wanted: Uint8Array): void {
  expect([found.length, isSameBytes(found, wanted)]).toEqual([wanted.length, true]);
}
export const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

function customerKey(fill: number): CustomerKey {
  const bytes = new Uint8Array(32).fill(fill);
  return { bytes, md5: createHash('md5').update(bytes).digest('base64') };
}
export const MINE = customerKey(1);
export const OTHER = customerKey(2);
export const named = (keyId: string | null, isDoubled = false) => ({
  kind: 'named' as const,
  keyId,
  isDoubled,
  isBucketKey: false,
  context: null,
});
export const ENCRYPTIONS: readonly (readonly [string, RequestedEncryption])[] = [
  ["a client's key", { kind: 'customer', key: MINE }],
  ['the master key', { kind: 'server' }],
  ['a KMS key', named('seeded-key')],
  ['a KMS key, twice', named('seeded-key', true)],
];
const keyFor = (version: ObjectVersion) => (version.encryption?.kind === 'customer' ? MINE : null);

/** Writes an object, encrypted as requested. */
export function put(
  core: Core,
  bucket: BucketHandle,
  bytes: Uint8Array,
  encryption: RequestedEncryption | null,
  name = 'a',
) {
  return putBytes(core, bucket, name, bytes, { body: bodyOf(bytes, 30_000), encryption });
}

/** Reads a range of a version, with the key that decrypts it unless another is named. */
export async function read(
  core: Core,
  version: ObjectVersion,
  range: ByteRange = { offsetBytes: 0, lengthBytes: version.sizeBytes },
  withKey: CustomerKey | null = keyFor(version),
): Promise<Uint8Array> {
  const { body } = await openBody(core, version, range, withKey);
  if (body === null) return new Uint8Array();
  return new Uint8Array(
    await new Response(body as ConstructorParameters<typeof Response>[0]).arrayBuffer(),
  );
}

/** Makes the input of a copy under another key. */
export function copy(
  source: ObjectVersion,
  name: string,
  encryption: RequestedEncryption | null,
  sourceKey = keyFor(source),
) {
  return { ...copyOf(source, name), sourceKey, encryption };
}
