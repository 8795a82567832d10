// The prefixes of a bucket that its policy opens by statements of the console: found
// by their Sids, as the server makes them.
import type { Answer } from 'quayside/client';

type Bucket = Answer<'GET /buckets/{bucket}'>;

export type OpenedPrefix = {
  /** `pub/`; '' is the whole bucket. */
  readonly prefix: string;
  readonly what: 'read' | 'read-and-list';
};

const READ = 'QuaysidePublicRead';
const LIST = 'QuaysidePublicList';

export function openedPrefixes({ name, policy }: Bucket): readonly OpenedPrefix[] {
  const stated = policy?.Statement ?? [];
  const statements = (Array.isArray(stated) ? stated : [stated]) as Record<string, unknown>[];
  const sids = new Set(statements.map(({ Sid }) => Sid));
  const start = `arn:aws:s3:::${name}/`;
  return statements.flatMap(({ Sid, Resource }) => {
    if (typeof Sid !== 'string' || !Sid.startsWith(READ)) return [];
    if (typeof Resource !== 'string' || !Resource.startsWith(start)) return [];
    // The star at the end is any text; `${*}` is a star of the prefix itself.
    const prefix = Resource.slice(start.length, -1).replace(/\$\{([*?$])\}/g, '$1');
    const what = sids.has(LIST + Sid.slice(READ.length)) ? 'read-and-list' : 'read';
    return [{ prefix, what }];
  });
}
