// Versions as clients name them: the id, or `null` for a version that was made
// while the bucket kept none. Used by every operation that reads, writes or lists a
// version.
import type { BucketRecord, ObjectVersion, VersionName } from '../../../domain/nouns.ts';
import { invalidArgument } from './invalid-argument.ts';

const NULL_VERSION = 'null';
/**
 * Letters and digits of a fixed length (adapters/shared/ids.ts): what is of another
 * form was never given out.
 */
const VERSION_ID = /^[0-9a-z]{27,28}$/;

/**
 * The name that a request gives, null when it names none. InvalidArgument for what
 * can't be one.
 */
export function parseVersionName(text: string | null): VersionName | null {
  if (text === null || text === NULL_VERSION || VERSION_ID.test(text))
    return text as VersionName | null;
  const detail =
    text === '' ? 'Version id cannot be the empty string' : 'Invalid version id specified';
  throw invalidArgument('versionId', text, detail);
}

/** The name of a version for clients. */
export function versionNameOf({
  versionId,
  isNull,
}: Pick<ObjectVersion, 'versionId' | 'isNull'>): VersionName {
  return isNull ? NULL_VERSION : versionId;
}

/** x-amz-version-id of a write: the id that it got, if it got one. */
export function newVersionHeaders(
  version: Pick<ObjectVersion, 'versionId' | 'isNull'>,
): Record<string, string> {
  return version.isNull ? {} : { 'x-amz-version-id': version.versionId };
}

/**
 * x-amz-version-id of a read: in a bucket that keeps versions, or did; elsewhere
 * only of a version that was named.
 */
export function versionHeaders(
  record: BucketRecord,
  version: Pick<ObjectVersion, 'versionId' | 'isNull'>,
  isNamed = false,
): Record<string, string> {
  const isShown = isNamed || record.settings.versioning !== null;
  return isShown ? { 'x-amz-version-id': versionNameOf(version) } : {};
}
