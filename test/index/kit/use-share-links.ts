// Every call of the index about share links, for use-index.ts.
import type { LabelId } from '../../../src/domain/links/link-ids.ts';
import { LINK_RESUME_MS } from '../../../src/domain/links/link-limits.ts';
import { NO_COUNTS } from '../../../src/domain/links/share-records.ts';
import type { BucketAddress, BucketRef } from '../../../src/domain/nouns.ts';
import type { IndexApi } from '../../../src/ports/metadata-index.ts';
import { START_MS } from '../../contract/index/samples.ts';
import { entryOf, shareLinkOf } from '../../contract/index/share-links.contract.ts';

/** A link that is made, changed, given to somebody, downloaded in parts, counted and deleted. */
export function useShareLinks(index: IndexApi, bucket: BucketRef, address: BucketAddress): void {
  const link = shareLinkOf({
    limits: { downloads: 9, bytes: 9, moneyMicro: null, moneyBytes: null },
  });
  const { id } = link;
  const label = {
    id: 'L'.repeat(8) as LabelId,
    name: 'l',
    createdAtMs: START_MS,
    revokedAtMs: null,
  };
  index.addShareLink({ bucket, link, entry: entryOf() });
  index.changeShareLink({ bucket, link: { ...link, revision: 2 }, entry: entryOf('changed') });
  index.putShareLabel({ bucket, linkId: id, label, entry: entryOf('label-added') });
  index.listShareLinks({ bucket, before: null, limit: 10 });
  index.listShareHistory({ bucket, id });
  const part = { linkId: id, labelId: label.id, downloadId: 'd', sizeBytes: 4, lengthBytes: 1 };
  const begin = (permitId: string, offsetBytes: number, nowMs: number) =>
    index.beginShareDownload({
      bucket: address,
      request: { ...part, permitId, offsetBytes },
      nowMs,
      untilMs: nowMs + 1000,
    });
  const end = (permitId: string, sentBytes: number) =>
    index.settleShareDownload({
      bucket: address,
      linkId: id,
      progress: { permitId, sentBytes },
      nowMs: START_MS,
    });
  // Whole in two pieces, broken off, given up, dead, and one behind another that runs.
  for (const [at, sent] of [1, 1, 0, 1].entries()) {
    begin(`p${at}`, at, START_MS);
    end(`p${at}`, sent);
  }
  begin('again', 2, START_MS);
  const permits = [{ linkId: id, permitId: 'again', sentBytes: 0 }];
  index.renewShareDownloads({ bucket: address, permits, untilMs: START_MS + 1 });
  begin('late', 2, START_MS + 10);
  begin('beside', 2, START_MS + 10);
  end('late', 1);
  end('beside', 1);
  begin('more', 0, START_MS + 10);
  end('more', 1);
  index.settleShareDownload({
    bucket: address,
    linkId: id,
    progress: { permitId: 'none', sentBytes: 0 },
    nowMs: START_MS + LINK_RESUME_MS * 2,
  });
  begin('old', 1, START_MS + 10);
  index.settleShareDownload({
    bucket: address,
    linkId: id,
    progress: { permitId: 'old', sentBytes: 0 },
    nowMs: START_MS + LINK_RESUME_MS * 2,
  });
  const day = { linkId: id, labelId: null, dayMs: 0, referrers: {}, countries: {}, ...NO_COUNTS };
  index.addShareCounts({ bucket: address, days: [day], nowMs: START_MS });
  index.listShareDays({ bucket, id, fromDayMs: 0, before: null, limit: 10 });
  index.listShareSums({ bucket, id });
  index.getShareLink({ bucket: address, id });
  index.getShareUsage({ bucket: address, id });
  index.findShareLink({ bucket: address, id, labelId: label.id });
  const changer = { memberId: null, accessKeyId: null };
  const page = { before: null, limit: 10 };
  index.revokeShareLinks({ bucket, prefix: '', changer, atMs: START_MS, ...page });
  index.deleteShareLink({ bucket, id });
}
