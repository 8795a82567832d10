// What goes along with a call of the index that looks something up for the public:
// where the reader stands in the bucket's change feed, and there what was said to it.
import { currentKeyOf } from '../../../domain/links/share-links.ts';
import type { BucketName, BucketRecord, ObjectKey } from '../../../domain/nouns.ts';
import { toReadPolicy } from '../../../domain/pointer.ts';
import type { IndexApi } from '../../../ports/metadata-index.ts';
import type { Clock } from '../../../ports/system.ts';
import type { BucketFeeds } from './bucket-feeds.ts';
import type { FeedNews, ReaderState } from './feed-state.ts';

type FindShareLink = Parameters<IndexApi['findShareLink']>[0];
type FoundShare = ReturnType<IndexApi['findShareLink']>;

export type ReaderCall = {
  readonly reader: ReaderState;
  /** Notes what the object said beside its answer. */
  note(news: FeedNews | null | undefined, value: unknown): void;
};

/** Call it when the call begins, from where ages count; null: it is no look-up. */
export function beginReaderCall(
  feeds: Pick<BucketFeeds, 'readerOf' | 'note' | 'shares'>,
  clock: Clock,
  bucket: BucketName,
  name: keyof IndexApi,
  input: unknown,
): ReaderCall | null {
  const lookup = lookUpOf(feeds, name, input);
  if (lookup === null) return null;

  const reader = feeds.readerOf(bucket, lookup.keys, lookup.isInvited);
  const askedAtMs = clock.nowMs();

  /** Keeps a share link with what proves it. */
  function keepShare(news: FeedNews | null | undefined, found: NonNullable<FoundShare>): void {
    const { bucket: address, id, labelId } = input as FindShareLink;
    const { link, label } = found;
    const stamp = news == null ? null : { feedId: news.feedId, sequence: news.sequence };
    const record = { share: { link, label }, bucket: address, atMs: askedAtMs, stamp };
    feeds.shares.keep({ id, labelId }, record);
  }

  return {
    reader,
    note(news, value) {
      if (name === 'findShareLink' && value !== null)
        keepShare(news, value as NonNullable<FoundShare>);
      if (news === null || news === undefined) return;
      const { bucket: record } = value as { readonly bucket: BucketRecord | null };
      const readPolicy = record === null ? null : toReadPolicy(record);
      feeds.note(bucket, reader, { news, readPolicy }, askedAtMs);
    },
  };
}

/** The keys whose pointers a call asks for, and for whom; null: it is no look-up. */
function lookUpOf(
  { shares }: Pick<BucketFeeds, 'shares'>,
  name: keyof IndexApi,
  input: unknown,
): { readonly keys: readonly ObjectKey[]; readonly isInvited: boolean } | null {
  if (name === 'resolve') {
    const { key, isInvited = false } = input as Parameters<IndexApi['resolve']>[0];
    return { keys: [key], isInvited };
  }
  if (name === 'findShareLink') {
    // What it leads to is known once the link is.
    const target = shares.find(input as FindShareLink)?.share.link.target;
    const key = target === undefined ? null : currentKeyOf(target);
    return { keys: key === null ? [] : [key], isInvited: true };
  }
  if (name !== 'resolveAll') return null;
  return { keys: (input as Parameters<IndexApi['resolveAll']>[0]).keys, isInvited: false };
}
