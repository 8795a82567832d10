// Who reads the rows of a folder besides the account: everyone, everyone in part, or
// nobody. Decided for all rows at once, from the bucket's record and one look at the
// lists of its objects. Called by the JSON API for a listing that asks for it.

import type { ObjectKey, ObjectSummary } from '../../domain/nouns.ts';
import type { Grant } from '../../domain/object-facts.ts';
import { NO_FACTS } from '../../domain/object-facts.ts';
import { everyoneMayRead, isOpenFolder, isPublicByAcl } from '../../domain/pointer.ts';
import type { AccessTarget, Allowed } from '../auth/access-check/check-access.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import type { FolderEntry } from './list-folder.ts';

/**
 * Strangers as readers of a row. `part`: of some keys of a folder, or on conditions
 * such as an address. Null: strangers read nothing of it.
 */
export type Readers = 'everyone' | 'part' | null;

/**
 * The readers of each entry, in their order. Objects that their own lists open do
 * not count to the folder that they are in. `evaluatePolicy` decides where only the
 * policy can. Cost: one index read where lists of objects are heard, none otherwise.
 */
export async function readersOf(
  bucket: BucketHandle,
  entries: readonly FolderEntry[],
  evaluatePolicy: (target: AccessTarget) => Allowed,
): Promise<readonly Readers[]> {
  const { publicReads } = bucket.record().access;
  if (publicReads === null) return entries.map(() => null);

  const acls = publicReads.isAclHeard ? await readAcls(bucket, entries) : new Map();
  // Reading the lists may have opened the bucket anew.
  const { access } = bucket.record();
  return entries.map((entry) => {
    if (entry.kind === 'folder') return readersOfFolder(access, entry.prefix, evaluatePolicy);

    const { object } = entry;
    const { key, ownerId } = object;
    const acl = acls.get(key) ?? null;
    const isPublic = isPublicByAcl({ acl, ownerId });
    const decision = everyoneMayRead(access, key, { ownerId, isPublicByAcl: isPublic });
    if (decision !== 'ask') return decision === 'yes' ? 'everyone' : null;
    return toReaders(evaluatePolicy({ kind: 'key', key, object: { ...NO_FACTS, ownerId, acl } }));
  });
}

async function readAcls(
  bucket: BucketHandle,
  entries: readonly FolderEntry[],
): Promise<ReadonlyMap<ObjectKey, readonly Grant[]>> {
  const objects = entries.flatMap((entry): ObjectSummary[] =>
    entry.kind === 'object' ? [entry.object] : [],
  );
  const found = await bucket.call('listAcls', { keys: objects.map(({ key }) => key) });
  return new Map(found.map(({ key, acl }) => [key, acl]));
}

function readersOfFolder(
  access: Parameters<typeof isOpenFolder>[0],
  prefix: string,
  evaluatePolicy: (target: AccessTarget) => Allowed,
): Readers {
  if (isOpenFolder(access, prefix)) return 'everyone';
  const { open = [], mayOpen = [] } = access.publicReads ?? {};
  const isTouched = [...open, ...mayOpen].some(
    (other) => other.startsWith(prefix) || prefix.startsWith(other),
  );
  return isTouched ? toReaders(evaluatePolicy({ kind: 'prefix', prefix })) : null;
}

function toReaders(allowed: Allowed): Readers {
  if (allowed === 'no') return null;
  return allowed === 'yes' ? 'everyone' : 'part';
}
