// What backup and check read of versions: bodies that stand in rows come along where the caller
// wants them, and are left out elsewhere, since a page of them may be megabytes.
import { expect, it } from 'vitest';
import type { BucketRef } from '../../src/domain/nouns.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import {
  FIRST_VERSION,
  listCurrentVersions,
  listOlderVersions,
} from '../../src/index/maintenance/inventory.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import { bucketRecord, bytesOf, objectOf, refOf } from '../contract/index/samples.ts';
import { openMigrated } from './kit/open-migrated.ts';

/** An index with an older and a current version of each of two keys. */
function openWithVersions() {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  const record = index.createBucket({ bucket: bucketRecord() });
  const bucket: BucketRef = { ...refOf(record), versioning: 'enabled' };
  for (const age of ['older', 'current']) {
    for (const key of ['a', 'b']) {
      const inlineBytes = bytesOf(`${age} ${key}`);
      const object = objectOf(key, {
        isNull: false,
        sizeBytes: inlineBytes.length,
        inlineBytes,
      });
      index.commitObject({ bucket, object, condition: null, newReferences: [] });
    }
  }
  return sql;
}

it.each([
  ['current', listCurrentVersions],
  ['older', listOlderVersions],
] as const)('%s versions have their bodies only where these are wanted', (age, list) => {
  const sql = openWithVersions();
  const read = (withBodies: boolean) =>
    list(sql, { after: FIRST_VERSION, limit: 10, withBodies }).versions.map(
      ({ version }) => version,
    );

  const [withBodies, without] = [read(true), read(false)];
  const texts = withBodies.map(({ inlineBytes }) =>
    inlineBytes === null ? null : new TextDecoder().decode(inlineBytes),
  );
  expect(texts).toEqual([`${age} a`, `${age} b`]);
  expect(without).toEqual(withBodies.map((version) => ({ ...version, inlineBytes: null })));
});
