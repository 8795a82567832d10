// What every metadata index must do, family by family. Bound to an adapter in a file of that
// adapter.
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import type { Subject } from '../subject.ts';
import { indexBlobsContract } from './blobs.contract.ts';
import { indexBucketsContract } from './buckets.contract.ts';
import { dropFilesContract } from './drop-files.contract.ts';
import { indexDropRowsContract } from './drop-rows.contract.ts';
import { joinedPartsContract } from './joined-parts.contract.ts';
import { indexNamesContract } from './key-jobs.contract.ts';
import { lateObjectsContract } from './late-objects.contract.ts';
import { indexLevelsContract } from './levels.contract.ts';
import { indexLifecycleContract } from './lifecycle.contract.ts';
import { indexListingContract } from './listing.contract.ts';
import { indexObjectsContract } from './objects.contract.ts';
import { indexPacksContract } from './packs.contract.ts';
import { indexQuotasContract } from './quotas.contract.ts';
import { indexSelectionsContract } from './selections.contract.ts';
import { indexMovedRowsContract } from './shards/moved-rows.contract.ts';
import { indexMovedUploadsContract } from './shards/moved-uploads.contract.ts';
import { indexShardStepsContract } from './shards/shard-steps.contract.ts';
import { shareDownloadsContract } from './share-downloads.contract.ts';
import { shareLinksContract } from './share-links.contract.ts';
import { indexUploadListsContract } from './upload-lists.contract.ts';
import { indexUploadsContract } from './uploads.contract.ts';
import { indexUrlUsesContract } from './url-uses.contract.ts';
import { indexVersionsContract } from './versions.contract.ts';

/** Runs the contract, with the calls to shards. */
export function metadataIndexContract(subject: Subject<MetadataIndex>): void {
  bucketCallsContract(subject);
  indexShardStepsContract(subject);
  indexMovedRowsContract(subject);
  indexMovedUploadsContract(subject);
}

/** Runs what an index must do for callers who know of no shards. */
export function bucketCallsContract(subject: Subject<MetadataIndex>): void {
  indexBucketsContract(subject);
  indexObjectsContract(subject);
  indexListingContract(subject);
  indexLevelsContract(subject);
  indexVersionsContract(subject);
  indexUploadsContract(subject, 'separate');
  indexUploadsContract(subject, 'joined');
  joinedPartsContract(subject);
  lateObjectsContract(subject);
  indexUploadListsContract(subject);
  indexBlobsContract(subject);
  indexLifecycleContract(subject);
  indexNamesContract(subject);
  indexPacksContract(subject);
  indexQuotasContract(subject);
  indexSelectionsContract(subject);
  indexUrlUsesContract(subject);
  shareLinksContract(subject);
  shareDownloadsContract(subject);
  indexDropRowsContract(subject);
  dropFilesContract(subject);
}
