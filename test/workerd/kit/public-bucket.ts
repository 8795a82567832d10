// A public bucket with objects whose bodies are in R2: what tests of delivery read.
import { env } from 'cloudflare:workers';
import { createR2BlobStore } from '../../../src/adapters/cloudflare/bodies/r2-blob-store.ts';
import type { BlobId, Segment } from '../../../src/domain/nouns.ts';
import { identityOf, sourceOf } from '../../contract/bodies.ts';
import { bucketObject, freshBucketName, objectOf, PUBLIC, recordOf, refOf } from './bucket.ts';

/** `put`: one blob for each body. */
export async function makePublicBucket() {
  const name = freshBucketName();
  const { call } = bucketObject(name);
  const record = await call('createBucket', { bucket: recordOf(name, PUBLIC) });
  const store = createR2BlobStore(env.BLOBS);
  let made = 0;

  async function put(key: string, ...bodies: Uint8Array[]): Promise<void> {
    const identity = identityOf({ bucket: name, key: objectOf(key, '').key });
    const segments: Segment[] = [];
    for (const body of bodies) {
      const blobId = `${record.id}/blob${++made}` as BlobId;
      await store.write(blobId, sourceOf(body), identity);
      segments.push({ blobId, offsetBytes: 0, lengthBytes: body.length });
    }
    const sizeBytes = bodies.reduce((sum, body) => sum + body.length, 0);
    const object = {
      ...objectOf(key, `e${made}`),
      segments,
      inlineBytes: null,
      sizeBytes,
    } as never;
    const newReferences = segments.map(({ blobId, lengthBytes }) => ({
      blobId,
      sizeBytes: lengthBytes,
      ownerBucket: null,
    }));
    await call('commitObject', { bucket: refOf(record), object, condition: null, newReferences });
  }
  const url = (key: string) => `http://files.example/${name}/${key}`;
  return { name, call, record, put, url };
}
