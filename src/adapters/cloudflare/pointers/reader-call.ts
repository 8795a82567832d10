// What goes along with a call of the index that looks something up for the public:
// where the reader stands in the bucket's change feed, and there what was said to it.
import type { BucketName, BucketRecord, ObjectKey } from '../../../domain/nouns.ts';
import { toReadPolicy } from '../../../domain/pointer.ts';
import type { IndexApi } from '../../../ports/metadata-index.ts';
import type { Clock } from '../../../ports/system.ts';
import type { BucketFeeds } from './bucket-feeds.ts';
import type { FeedNews, ReaderState } from './feed-state.ts';

export type ReaderCall = {
  readonly reader: ReaderState;
  /** Notes what the object said beside its answer. */
  note(news: FeedNews | null | undefined, value: unknown): void;
};

/** Call it when the call begins, from where ages count; null: it is no look-up. */
export function beginReaderCall(
  feeds: Pick<BucketFeeds, 'readerOf' | 'note'>,
  clock: Clock,
  bucket: BucketName,
  name: keyof IndexApi,
  input: unknown,
): ReaderCall | null {
  const keys = keysLookedUp(name, input);
  if (keys === null) return null;

  const reader = feeds.readerOf(bucket, keys);
  const askedAtMs = clock.nowMs();
  return {
    reader,
    note(news, value) {
      if (news === null || news === undefined) return;
      const { bucket: record } = value as { readonly bucket: BucketRecord | null };
      const readPolicy = record === null ? null : toReadPolicy(record);
      feeds.note(bucket, reader, { news, readPolicy }, askedAtMs);
    },
  };
}

function keysLookedUp(name: keyof IndexApi, input: unknown): readonly ObjectKey[] | null {
  if (name === 'resolve') return [(input as Parameters<IndexApi['resolve']>[0]).key];
  return name === 'resolveAll' ? (input as Parameters<IndexApi['resolveAll']>[0]).keys : null;
}
