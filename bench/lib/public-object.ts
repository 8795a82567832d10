import { createBucket } from '../../src/core/buckets/create-bucket.ts';
import type { Core } from '../../src/core/core.ts';
import { putObject } from '../../src/core/objects/put-object.ts';
import { openBucket } from '../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName, parseObjectKey } from '../../src/core/parse-names.ts';
import { PRIVATE_ACCESS } from '../../src/domain/bucket-access.ts';
import { ROOT_ACCOUNT } from '../../src/domain/root-account.ts';
import type { ByteSource } from '../../src/ports/byte-source.ts';
import { publicPolicy } from '../../test/access-samples.ts';

/** The key of the object. */
export const PUBLIC_KEY = parseObjectKey('object');

/** Makes a bucket that everyone may read, with one object in it. */
export async function makePublicObject(core: Core, bucketName: string, body: ByteSource) {
  const name = parseBucketName(bucketName);
  const access = { ...PRIVATE_ACCESS, policyJson: publicPolicy(bucketName) };
  const { record } = await createBucket(core, ROOT_ACCOUNT, name, access);
  const bucket = await openBucket(core, name, () => undefined);
  const object = await putObject(core, bucket, {
    key: PUBLIC_KEY,
    attributes: { headers: {}, userMetadata: {}, storageClass: 'STANDARD' },
    expectation: { contentMd5Hex: null, checksum: null },
    condition: null,
    body,
  });
  return { record, object };
}

/** A body of these bytes, at once. */
export function bodyOf(bytes: Uint8Array): ByteSource {
  return { lengthBytes: bytes.length, pump: async (onChunk) => void (await onChunk(bytes)) };
}
