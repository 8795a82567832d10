// Objects as a console shows them: folders by name, size or date, search by a part
// of the name, sizes of prefixes.
import { z } from '@hono/zod-openapi';
import { readersOf } from '../../../core/key-jobs/folder-readers.ts';
import {
  type FolderEntry,
  type FolderStart,
  listFolder,
} from '../../../core/key-jobs/list-folder.ts';
import { measurePrefixes } from '../../../core/key-jobs/measure-prefixes.ts';
import { searchKeys, sortObjects } from '../../../core/key-jobs/search-keys.ts';
import type { BucketHandle } from '../../../core/opened-bucket/bucket-handle.ts';
import { StorageError } from '../../../domain/errors.ts';
import { SEARCH_MAX_MATCHES } from '../../../domain/keys/key-aids.ts';
import type { ObjectSummary } from '../../../domain/nouns.ts';
import { createRateLimit } from '../../requests/rate-limit.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { cursorAt, pageQuery, readCursor } from '../../routing/paging.ts';
import { bucketParams, isCompleteSchema, objectSchema, prefixQuery } from '../../schemas/object.ts';
import { isoTime } from '../../schemas/time.ts';
import { strangersQuestion } from '../buckets/access-inquiry.ts';

const TAGS = ['Objects'];
/**
 * Slices of 25,000 keys that an account may sort in a minute, by each process: twelve
 * pages of the largest folder. On Cloudflare each reads as many rows, $0.000025. Our
 * own limit.
 */
const SORTED_SLICES_PER_MINUTE = 1200;
/** Prefixes measured in one request. */
const PREFIXES_MAX = 100;

const sortQuery = {
  sort: z.enum(['name', 'size', 'modified']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
};
const pageFields = { nextCursor: z.string().nullable(), isComplete: isCompleteSchema };

const readersSchema = z
  .enum(['everyone', 'part'])
  .nullable()
  .optional()
  .openapi({
    description:
      'With `include=readers`: whether strangers read it. `part`: some keys of the folder, or ' +
      'on conditions. Objects that ACLs open do not count to their folder.',
  });
const entrySchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('folder'), prefix: z.string(), readers: readersSchema }),
    objectSchema.extend({ kind: z.literal('object'), readers: readersSchema }),
  ])
  .openapi('FolderEntry');
const folderPageSchema = z.object({
  items: z.array(entrySchema),
  ...pageFields,
  total: z
    .number()
    .int()
    .nullable()
    .openapi({
      description:
        'Entries of the folder. Null: not counted; a page with `at` or `from` counts them. ' +
        'Unless totalIsExact, those counted so far.',
    }),
  totalIsExact: z.boolean(),
  sortIsExact: z.boolean().openapi({
    description: 'False: the folder has more keys than were sorted, as isComplete says too.',
  }),
  rank: z
    .number()
    .int()
    .nullable()
    .openapi({
      description:
        'Entries before the first one of this page. Null: not counted, or not so far yet. ' +
        'Less than `at`: the folder has no more entries, or no more are counted yet.',
    }),
});
const searchPageSchema = z.object({
  items: z.array(objectSchema),
  ...pageFields,
  index: z.enum(['off', 'building', 'ready']).openapi({
    description:
      'The search index of the bucket. Without it a page looks at some thousand names only.',
  }),
});
const sizeSchema = z
  .object({
    prefix: z.string(),
    objects: z.number().int(),
    bytes: z.string().openapi({ example: '1048576' }),
    otherBytes: z.string().openapi({ description: 'Bytes that are not of the class STANDARD.' }),
  })
  .openapi('PrefixSize');
const sizesSchema = z.object({
  items: z
    .array(sizeSchema)
    .nullable()
    .openapi({ description: 'Null: the bucket is being counted, ask again.' }),
});

/** Largest position that can be sought: all that a number holds exactly. */
const RANK_MAX = Number.MAX_SAFE_INTEGER;
const seekQuery = {
  at: z.coerce.number().int().min(0).max(RANK_MAX).optional().openapi({
    description: 'Begin with the entry at this position, counted from 0; without a cursor.',
  }),
  from: z.string().max(1024).optional().openapi({
    description: 'Begin with the first entry at or behind this name; by name, without a cursor.',
  }),
};

const textQuery = z.string().max(1024);

function showObject({ key, sizeBytes, etag, lastModifiedMs, storageClass }: ObjectSummary) {
  return {
    key: key as string,
    size: `${sizeBytes}`,
    etag,
    lastModified: isoTime(lastModifiedMs),
    storageClass,
  };
}

export function addObjectRoutes(api: Api): void {
  addListing(api);
  addSearch(api);
  addSizes(api);
}

function addListing(api: Api): void {
  const slicesOfAccount = createRateLimit('sorted', SORTED_SLICES_PER_MINUTE);
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/objects',
      operationId: 'listFolder',
      summary: 'What is below a prefix: folders, and objects by name, size or date',
      description:
        'By name, any number can be paged through, and a page can begin at a position (at) ' +
        'or a name (from); the first such call counts a large folder, which takes a moment. ' +
        'Other orders look at all keys of the folder for each page, 2.5 million at most; an ' +
        'account may have 30 million looked at in a minute.',
      tags: TAGS,
      access: 'objects:read',
      request: {
        params: bucketParams,
        query: z.strictObject({
          ...pageQuery,
          ...sortQuery,
          sort: z.enum(['name', 'size', 'modified', 'type']).default('name').openapi({
            description: 'type: the extension, in any case. Folders come first unless by name.',
          }),
          prefix: prefixQuery,
          delimiter: textQuery.default('/'),
          ...seekQuery,
          include: z.literal('readers').optional(),
        }),
      },
      responses: { 200: jsonResponse(folderPageSchema, 'Some entries') },
    }),
    async (c) => {
      const call = callOf(c);
      const { limit, cursor, prefix, delimiter, sort, order, include } = c.req.valid('query');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const filter = [bucket.record().id, prefix, delimiter, sort, order];
      const list = `objects ${JSON.stringify(filter)}`;
      const page = await listFolder(call.core, bucket, {
        prefix,
        delimiter,
        sort,
        isDescending: order === 'desc',
        limit,
        cursor: readCursor(call.secrets, list, cursor),
        start: folderStart(c.req.valid('query')),
        countSlice() {
          const { caller, core } = call;
          slicesOfAccount.count(`account ${caller.accountId}`, core.ports.clock.nowMs());
        },
      });
      const shown = page.entries.map((entry) =>
        entry.kind === 'folder' ? entry : { kind: entry.kind, ...showObject(entry.object) },
      );
      const items =
        include === 'readers' ? await withReaders(call, bucket, page.entries, shown) : shown;
      const nextCursor = cursorAt(call.secrets, list, page.next);
      const { isComplete, total, totalIsExact, rank } = page;
      return c.json(
        { items, nextCursor, isComplete, total, totalIsExact, sortIsExact: isComplete, rank },
        200,
      );
    },
  );
}

type SeekQuery = {
  readonly at?: number | undefined;
  readonly from?: string | undefined;
  readonly cursor?: string | undefined;
  readonly sort: string;
};

/** Where a page begins that has no cursor. InvalidInput. */
function folderStart({ at, from, cursor, sort }: SeekQuery): FolderStart | null {
  const starts = [at, from, cursor].filter((start) => start !== undefined);
  if (starts.length > 1)
    throw new StorageError('InvalidInput', { detail: 'Send one of cursor, at and from.' });
  if (at !== undefined) return { at };
  if (from === undefined) return null;
  if (sort !== 'name')
    throw new StorageError('InvalidInput', { detail: 'from needs a folder sorted by name.' });
  return { from };
}

type ShownEntry = z.infer<typeof entrySchema>;

async function withReaders(
  call: SignedInCall,
  bucket: BucketHandle,
  entries: readonly FolderEntry[],
  shown: readonly ShownEntry[],
): Promise<ShownEntry[]> {
  const readers = await readersOf(bucket, entries, strangersQuestion(call, bucket.record()));
  return shown.map((entry, at) => ({ ...entry, readers: readers[at] ?? null }));
}

type SearchPage = {
  readonly objects: readonly ObjectSummary[];
  readonly nextPosition: string | null;
};

/** A page of all matches, sorted; its position is a number among them. */
function pageOfSorted(
  sorted: readonly ObjectSummary[],
  position: string,
  limit: number,
): SearchPage {
  const from = Number(position);
  const end = from + limit;
  return {
    objects: sorted.slice(from, end),
    nextPosition: end < sorted.length ? `${end}` : null,
  };
}

/**
 * A page of a walk over the keys; its position is `>` and the last key that was
 * looked at.
 */
function pageOfWalk(
  {
    objects,
    nextAfter,
  }: { readonly objects: readonly ObjectSummary[]; readonly nextAfter: string | null },
  limit: number,
): SearchPage {
  const shown = objects.slice(0, limit);
  const lastKey = objects.length > limit ? shown.at(-1)?.key : nextAfter;
  return { objects: shown, nextPosition: lastKey == null ? null : `>${lastKey}` };
}

function addSearch(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/search',
      operationId: 'searchObjects',
      summary: 'Find objects by a part of their key, without regard to case and accents',
      description:
        'At most 1,000 matches, sorted. ' +
        'Up to 8,000 keys, and while the search index of a bucket is made, ' +
        'keys are looked at in order: then a page may be short or empty and nextCursor goes on.',
      tags: TAGS,
      access: 'objects:read',
      request: {
        params: bucketParams,
        query: z.strictObject({
          ...pageQuery,
          ...sortQuery,
          prefix: prefixQuery,
          text: z.string().min(1).max(255),
        }),
      },
      responses: { 200: jsonResponse(searchPageSchema, 'Some matches') },
    }),
    async (c) => {
      const call = callOf(c);
      const { limit, cursor, prefix, text, sort, order } = c.req.valid('query');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const list = `search ${JSON.stringify([bucket.record().id, prefix, text, sort, order])}`;
      const position = readCursor(call.secrets, list, cursor);
      const after = position.startsWith('>') ? position.slice(1) : null;
      const matches = await searchKeys(call.core, bucket, {
        prefix,
        needle: text,
        limit: SEARCH_MAX_MATCHES,
        after,
      });

      const isWalk = matches.nextAfter !== null || after !== null;
      const page = isWalk
        ? pageOfWalk(matches, limit)
        : pageOfSorted(sortObjects(matches.objects, sort, order === 'desc'), position, limit);
      const items = page.objects.map(showObject);
      const nextCursor = cursorAt(call.secrets, list, page.nextPosition);
      return c.json(
        { items, nextCursor, isComplete: matches.isComplete, index: matches.state },
        200,
      );
    },
  );
}

function addSizes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/sizes',
      operationId: 'measurePrefixes',
      summary:
        'How many objects stand below prefixes, and how large they are, exact to the last commit',
      tags: TAGS,
      access: 'objects:read',
      request: {
        params: bucketParams,
        query: z.strictObject({
          prefix: z
            .union([textQuery, z.array(textQuery).max(PREFIXES_MAX)])
            .default('')
            .openapi({
              description: `Up to ${PREFIXES_MAX}, by repeating it. Absent: the whole bucket.`,
            }),
        }),
      },
      responses: { 200: jsonResponse(sizesSchema, 'The sizes, in the order of the prefixes') },
    }),
    async (c) => {
      const call = callOf(c);
      const { prefix } = c.req.valid('query');
      const prefixes = typeof prefix === 'string' ? [prefix] : prefix;
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const sizes = await measurePrefixes(call.core, bucket, prefixes);
      const items =
        sizes?.map(({ objects, bytes, otherBytes }, at) => ({
          prefix: prefixes[at] ?? '',
          objects,
          bytes: `${bytes}`,
          otherBytes: `${otherBytes}`,
        })) ?? null;
      return c.json({ items }, 200);
    },
  );
}
