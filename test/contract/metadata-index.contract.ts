// What every metadata index must do, family by family. Bound to an adapter in a file of that adapter.
import type { MetadataIndex } from '../../src/ports/metadata-index.ts';
import { indexBlobsContract } from './index-blobs.contract.ts';
import { indexBucketsContract } from './index-buckets.contract.ts';
import { indexLifecycleContract } from './index-lifecycle.contract.ts';
import { indexListingContract } from './index-listing.contract.ts';
import { indexNamesContract } from './index-names.contract.ts';
import { indexObjectsContract } from './index-objects.contract.ts';
import { indexQuotasContract } from './index-quotas.contract.ts';
import { indexUploadListsContract } from './index-upload-lists.contract.ts';
import { indexUploadsContract } from './index-uploads.contract.ts';
import { indexVersionsContract } from './index-versions.contract.ts';
import type { Subject } from './subject.ts';

/** Runs the contract. */
export function metadataIndexContract(subject: Subject<MetadataIndex>): void {
  indexBucketsContract(subject);
  indexObjectsContract(subject);
  indexListingContract(subject);
  indexVersionsContract(subject);
  indexUploadsContract(subject);
  indexUploadListsContract(subject);
  indexBlobsContract(subject);
  indexLifecycleContract(subject);
  indexNamesContract(subject);
  indexQuotasContract(subject);
}
