// Runs what an index must do for its callers through the router, on buckets of three shards between
// which slices of one to three rows move before every call. All shards are asked what is condemned.
import { bucketCallsContract } from '../../contract/index/metadata-index.contract.ts';
import { openRestlessShards, RESTLESS_WORLDS } from './restless-shards.ts';
import { sweepAllShards } from './swept-shards.ts';

/** Always the same moves. */
const SEED = 20_261_121;

const SKIPPED: Readonly<Record<string, readonly string[]>> = {
  'the record of a bucket that was split has a revision of its own': [
    'gives back a bucket as it was made',
    'lets one of many creators win',
    'moves the revision on with the access, and refuses older ones',
    'changes named settings alone, and moves the revision on',
    'moves invalidation watermarks with the revision, and keeps them',
    'gives a bucket that is made with settings back with them',
  ],
  'the shards of a bucket are incarnations that the sweep finds, too': [
    'says which lives have rules',
    'deletes a bucket with uploads in progress, which its sweep then drops',
    'drops the uploads of a deleted bucket in steps',
    'lists the lives of a name and how far each was swept',
    'forgets a deleted incarnation after its last blob, no live one',
  ],
  'the refusal to delete a bucket that was split counts nothing': [
    'deletes an empty bucket only',
    'hides a key behind a marker, and uncovers it when the marker goes',
  ],
  'deduplication is of each shard': [
    'refers to an equal blob instead of the new one, and repeats so',
  ],
  'each shard that was asked says what is unreferenced longest, and condemns for itself': [
    'condemns the longest unreferenced first, again until forgotten',
    'revives a blob that is unreferenced, and none that is condemned',
  ],
  'each shard has remote references of its own': [
    'gives a blob of another bucket back to it when nothing mentions it',
    'gives up a part of a foreign blob like one of its own',
    'keeps a blob as long as another bucket has a reference to it',
    'keeps a deleted incarnation while another bucket refers to its blobs',
    'keeps a remote reference that is younger than the release',
    'reports an old reference whose copy never came, once for each bound',
    'reports only the old ones of the remote references to a blob',
    'reports remote references of a blob up to the limit, then others',
    'waits for every referrer, and for the owner bucket itself',
  ],
  'the remote references are made up': [
    'gives back segments of all blobs, parts, a composite checksum',
  ],
  'a thousand calls that all move slices take too long': [
    'files that never came fill no link, however many they are',
  ],
  'each shard has packs of its own, and a body that moved waits for none': [
    'are adopted once, and then claimed and read no more',
    'are claimed when they are full or old, by one caller at a time',
    'are left until more is gone',
    'are no orphans before they are adopted, and go when they are empty',
    'keep versions, and what is changed of one that waits',
    'leave in the old pack what changed before it could move',
    'leave what was deleted or replaced meanwhile as it is',
    'move versions with their locks and tags',
    'move what lives to another pack when more than half is gone',
    'of which all bodies went are given to the sweeper',
    'refuse to be adopted with a body that was not written',
    'take bodies in, which lie there from one commit on',
  ],
};

for (const [name, open] of Object.entries(RESTLESS_WORLDS)) {
  bucketCallsContract({
    name,
    make: () => {
      const { index, router } = openRestlessShards(SEED, 1, open);
      return sweepAllShards(index, router);
    },
    skip: Object.entries(SKIPPED).flatMap(([reason, tests]) =>
      tests.map((test) => ({ test, reason })),
    ),
  });
}
