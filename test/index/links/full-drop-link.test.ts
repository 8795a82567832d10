// A drop link with as many senders as it may have: whoever sent nothing makes room for others.
import { expect, it } from 'vitest';
import {
  DROP_EMPTY_SENDER_LEAST_MS,
  DROP_SENDERS_MAX,
} from '../../../src/domain/links/link-limits.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import { bucketRecord, refOf, START_MS } from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';
import { DROP_ENTRY, DROP_LINK, dropFileOf } from '../kit/use-drop-links.ts';

it('a drop link is not closed by those who only said hello', () => {
  const index = createBucketIndex(openMigrated(INDEX_SCHEMA));
  const bucket = refOf(index.createBucket({ bucket: bucketRecord() }));
  const linkId = DROP_LINK.id;
  index.addDropLink({ bucket, link: DROP_LINK, max: 10, entry: DROP_ENTRY });
  const add = (id: string, nowMs = START_MS) =>
    index.addDropSender({
      ...{ bucket, linkId, id, nowMs },
      fields: { name: '', mail: '', note: '' },
      source: id,
    });
  const senders = () => index.getDropLink({ bucket, id: linkId, nowMs: START_MS })?.usage.senders;
  for (let at = 0; at < DROP_SENDERS_MAX; at++) add(`sender ${at}`);
  const untilMs = START_MS + 10 * DROP_EMPTY_SENDER_LEAST_MS;
  const file = dropFileOf('file', { senderId: 'sender 0', expiresAtMs: untilMs });
  index.addDropFile({ bucket, ...file, nowMs: START_MS });

  // Somebody who came a moment ago may still be choosing his files.
  expect(() => add('early', START_MS + 1)).toThrow(/too many senders/);
  add('late', START_MS + DROP_EMPTY_SENDER_LEAST_MS);
  expect(index.getDropSender({ bucket, linkId, id: 'late' })).not.toBeNull();
  expect(index.getDropSender({ bucket, linkId, id: 'sender 0' })).not.toBeNull();
  expect(senders()).toBe(DROP_SENDERS_MAX - 64 + 1);
});
