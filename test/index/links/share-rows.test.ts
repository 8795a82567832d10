// Rows of share links that an older program has stored.
import { expect, it } from 'vitest';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import { addressOf, bucketRecord, refOf } from '../../contract/index/samples.ts';
import { entryOf, shareLinkOf } from '../../contract/index/share-links.contract.ts';
import { openMigrated } from '../kit/open-migrated.ts';

it('a link without a field is as one where nobody has set it', () => {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  const record = bucketRecord();
  index.createBucket({ bucket: record });
  const link = shareLinkOf();
  index.addShareLink({ bucket: refOf(record), link, entry: entryOf() });
  for (const group of ['limits', 'audience', 'page'] as const)
    for (const field of Object.keys(link[group]))
      sql.all(`UPDATE share_links SET link = json_remove(link, '$.${group}.${field}')`);
  for (const field of ['note', 'cutsRunning', 'passwordHash', 'passwordRevision', 'revokedAtMs'])
    sql.all(`UPDATE share_links SET link = json_remove(link, '$.${field}')`);
  const bucket = addressOf(record);
  const request = {
    linkId: link.id,
    labelId: null,
    downloadId: 'd',
    sizeBytes: 1,
    permitId: 'p',
    offsetBytes: 0,
    lengthBytes: 1,
  };
  expect(index.findShareLink({ bucket, id: link.id, labelId: null })?.link).toEqual(link);
  const times = { nowMs: 0, untilMs: 1 };
  expect(index.beginShareDownload({ bucket, request, ...times })).toEqual({ kind: 'permitted' });
});
