// A bucket to test with: its object's stub, and calls with as little ceremony as possible.
import { env } from 'cloudflare:workers';
import type { BucketNames } from '../../../src/adapters/cloudflare/clients/bucket-names.ts';
import type { CallableObject } from '../../../src/adapters/cloudflare/clients/object-call.ts';
import { decodePage, kvPageName } from '../../../src/adapters/cloudflare/pointers/pointer-page.ts';
import { PROTOCOL } from '../../../src/adapters/cloudflare/protocol.ts';
import { type BucketAccess, PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import { NO_SETTINGS } from '../../../src/domain/bucket-settings.ts';
import type { BucketLocation } from '../../../src/domain/locations/bucket-locations.ts';
import type {
  AccountId,
  BucketName,
  BucketRecord,
  BucketRef,
  ObjectKey,
  ObjectVersion,
  VersionId,
} from '../../../src/domain/nouns.ts';
import { NO_FACTS } from '../../../src/domain/object-facts.ts';
import { makeBucketId } from '../../../src/domain/owner-bucket.ts';
import { unwrapOutcome } from '../../../src/index/call-outcome.ts';
import type { IndexApi } from '../../../src/ports/metadata-index.ts';
import { PUBLIC_ACCESS } from '../../access-samples.ts';
import { START_MS } from '../../contract/index/samples.ts';

export const PUBLIC: BucketAccess = PUBLIC_ACCESS;
export const PRIVATE: BucketAccess = PRIVATE_ACCESS;

let made = 0;
/** A bucket name that no other test has. */
export function freshBucketName(): BucketName {
  made += 1;
  return (`test-${Date.now().toString(36)}-` +
    `${Math.floor(Math.random() * 36 ** 6).toString(36)}-${made}`) as BucketName;
}

export function recordOf(name: BucketName, access: BucketAccess, life = 'life1'): BucketRecord {
  return {
    id: makeBucketId(name, life),
    name,
    ownerId: 'owner' as AccountId,
    createdAtMs: START_MS,
    revision: 1,
    access,
    settings: NO_SETTINGS,
  };
}

/** A small object, known by its entity tag. */
export function objectOf(key: string, etag: string): ObjectVersion {
  return {
    key: key as ObjectKey,
    ...NO_FACTS,
    versionId: `version-${etag}` as VersionId,
    isNull: true,
    sizeBytes: 3,
    etag,
    lastModifiedMs: START_MS,
    headers: { contentType: 'text/plain' },
    userMetadata: { who: 'me' },
    storageClass: 'STANDARD',
    segments: [],
    inlineBytes: new Uint8Array([1, 2, 3]),
    checksum: null,
    parts: null,
  };
}

export const refOf = ({ id, name, revision }: BucketRecord): BucketRef => ({ id, name, revision });

/** Names as an index believes them that is tested without the directory: all are there. */
export const EVERY_NAME: BucketNames = {
  find: () => ({ location: null }),
  read: async () => ({ location: null }),
  renew: async () => undefined,
};

/** Notes the name, as whoever makes a bucket does first. */
export async function noteName(
  name: BucketName,
  ownerId = 'owner' as AccountId,
  location: BucketLocation | null = null,
): Promise<void> {
  const directory = env.DIRECTORY.get(env.DIRECTORY.idFromName('directory'));
  const input = { ownerId, name, createdAtMs: 0, location };
  unwrapOutcome(await (directory as unknown as CallableObject).call('addBucket', input, PROTOCOL));
}

/** Calls of the object of a bucket, over RPC; the directory knows a bucket that is made. */
export function bucketObject(name: BucketName) {
  const stub = () => env.BUCKETS.get(env.BUCKETS.idFromName(name));
  async function call<Name extends keyof IndexApi>(
    method: Name,
    input: Parameters<IndexApi[Name]>[0],
  ) {
    if (method === 'createBucket')
      await noteName(name, (input as { bucket: BucketRecord }).bucket.ownerId);
    const reply = await (stub() as unknown as CallableObject).call(method, input);
    return unwrapOutcome<ReturnType<IndexApi[Name]>>(reply);
  }
  return { stub, call };
}

/** The page in KV that begins at a key. */
export async function published(bucket: BucketName, from = '') {
  return decodePage(await env.HOT.get(kvPageName(bucket, from)));
}
