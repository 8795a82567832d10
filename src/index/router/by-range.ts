// Lists of a split bucket: the owner of where the list stands gives what it has up to the
// end of its range, and the list goes on at that end, whoever owns that by then (ADR 53).
// A common prefix that goes over a border is shown once, for the list goes on behind the
// last name shown. Called by shard-router.ts.

import { compareUtf8 } from '../../domain/keys/compare-utf8.ts';
import type { BucketRef } from '../../domain/nouns.ts';
import type { ListUploadsInput, ListUploadsPage } from '../../ports/index-calls/upload-calls.ts';
import type {
  ListObjectsInput,
  ListObjectsPage,
  ListVersionsInput,
  ListVersionsPage,
} from '../../ports/metadata-index.ts';
import { prefixEnd } from '../keys/key-order.ts';
import { startKey } from '../keys/key-pages.ts';
import { AGAIN, type SplitBuckets } from './split-bucket.ts';

/** What all pages of names have in common. */
type Page = { readonly commonPrefixes: readonly string[]; readonly isTruncated: boolean };
/** How one kind of list goes on. */
type Kind<Input, Result extends Page> = {
  readonly name: 'listObjects' | 'listVersions' | 'listUploads';
  readonly limitOf: (input: Input) => number;
  readonly rowsOf: (page: Result) => readonly unknown[];
  /** Where the list begins: a key that is no later than its first row. */
  readonly startOf: (input: Input) => string | null;
  /** The rest of the list behind a page. */
  readonly restOf: (input: Input, page: Result, limit: number) => Input;
  readonly join: (page: Result, next: Result) => Result;
};

/** A key at which, or behind which, rows begin; null: behind all keys. */
function startOf(input: { prefix: string; delimiter: string }, after: string, within: string) {
  if (within !== '' && compareUtf8(input.prefix, after) <= 0) return after;
  const start = startKey(input.prefix, input.delimiter, after);
  return typeof start === 'string' ? start : null;
}

const OBJECTS: Kind<ListObjectsInput, ListObjectsPage> = {
  name: 'listObjects',
  limitOf: ({ maxKeys }) => maxKeys,
  rowsOf: ({ objects }) => objects,
  startOf: (input) => startOf(input, input.after, ''),
  restOf: (input, { lastName }, maxKeys) => ({
    ...input,
    after: lastName ?? input.after,
    maxKeys,
  }),
  join: (page, next) => ({
    objects: [...page.objects, ...next.objects],
    commonPrefixes: [...page.commonPrefixes, ...next.commonPrefixes],
    isTruncated: next.isTruncated,
    lastName: next.lastName ?? page.lastName,
  }),
};

const VERSIONS: Kind<ListVersionsInput, ListVersionsPage> = {
  name: 'listVersions',
  limitOf: ({ maxKeys }) => maxKeys,
  rowsOf: ({ versions }) => versions,
  startOf: (input) => startOf(input, input.afterKey, input.afterVersionId),
  restOf: (input, { last }, maxKeys) => ({
    ...input,
    ...(last === null ? {} : { afterKey: last.key, afterVersionId: last.versionId }),
    maxKeys,
  }),
  join: (page, next) => ({
    versions: [...page.versions, ...next.versions],
    commonPrefixes: [...page.commonPrefixes, ...next.commonPrefixes],
    isTruncated: next.isTruncated,
    last: next.last ?? page.last,
  }),
};

const UPLOADS: Kind<ListUploadsInput, ListUploadsPage> = {
  name: 'listUploads',
  limitOf: ({ maxUploads }) => maxUploads,
  rowsOf: ({ uploads }) => uploads,
  startOf: (input) => startOf(input, input.afterKey, input.afterUploadId),
  restOf: (input, { last }, maxUploads) => ({
    ...input,
    ...(last === null ? {} : { afterKey: last.key, afterUploadId: last.uploadId }),
    maxUploads,
  }),
  join: (page, next) => ({
    uploads: [...page.uploads, ...next.uploads],
    commonPrefixes: [...page.commonPrefixes, ...next.commonPrefixes],
    isTruncated: next.isTruncated,
    last: next.last ?? page.last,
  }),
};

/** One page of a list over all owners. Cost: a call for each whose range it meets. */
export function listByRange(
  split: SplitBuckets,
  name: 'listObjects' | 'listVersions' | 'listUploads',
  input: object,
): Promise<unknown> {
  if (name === 'listObjects') return list(split, OBJECTS, input as ListObjectsInput);
  return name === 'listVersions'
    ? list(split, VERSIONS, input as ListVersionsInput)
    : list(split, UPLOADS, input as ListUploadsInput);
}

type Listed = { readonly bucket: BucketRef; readonly prefix: string };

async function list<Input extends Listed, Result extends Page>(
  split: SplitBuckets,
  kind: Kind<Input, Result>,
  input: Input,
): Promise<Result> {
  const limit = kind.limitOf(input);
  let rest = input;
  let page: Result | null = null;
  let from: string | null = kind.startOf(input) ?? '';
  while (from !== null) {
    const cursor: string = from;
    const part = await readPart(split, kind, rest, cursor);
    const next = part.page as Result;
    const length = lengthOf(kind, page) + lengthOf(kind, next);
    // The page was full: the call only found out whether there is more.
    if (length > limit && page !== null) return { ...page, isTruncated: true };
    page = page === null ? next : kind.join(page, next);
    if (next.isTruncated || limit === 0) return page;
    rest = kind.restOf(rest, page, Math.max(1, limit - length));
    from = nextStart(input.prefix, kind.startOf(rest), part.end);
  }
  return page as Result;
}

const lengthOf = <Input, Result extends Page>(kind: Kind<Input, Result>, page: Result | null) =>
  page === null ? 0 : kind.rowsOf(page).length + page.commonPrefixes.length;

/** What the owner of a key has of a list, and where its range ends. */
function readPart<Input extends Listed, Result extends Page>(
  split: SplitBuckets,
  { name }: Kind<Input, Result>,
  input: Input,
  from: string,
): Promise<{ readonly page: unknown; readonly end: string | null }> {
  return split.attempt(input.bucket, async (map, tries) => {
    const owner = await split.ownerFor(map, from, { isWrite: false, tries });
    if (owner === AGAIN) return AGAIN;
    const page = await split.callShard(owner, input.bucket, name, input);
    return { page, end: owner.range?.to ?? null };
  });
}

/** Where the list goes on behind the end of a range; null: nothing can follow. */
function nextStart(prefix: string, behind: string | null, end: string | null): string | null {
  if (end === null || behind === null) return null;
  const last = prefixEnd(prefix);
  const next = compareUtf8(behind, end) < 0 ? end : behind;
  return typeof last === 'string' && compareUtf8(next, last) >= 0 ? null : next;
}
