// ListParts and ListMultipartUploads. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html and
// API_ListMultipartUploads.html
import type { Core } from '../../../../core/core.ts';
import { unwrapWithCustomerKey } from '../../../../core/encryption/envelope.ts';
import type {
  ListUploadsPage,
  Upload,
  UploadedPart,
} from '../../../../ports/index-calls/upload-calls.ts';
import { type BucketCall, type ObjectCall, type S3Response, xmlResponse } from '../../call/call.ts';
import { findPageAccounts, type PageAccounts } from '../../call/page-accounts.ts';
import { readUploadId } from '../../call/read-upload-id.ts';
import { checksumElement } from '../../formats/checksum-names.ts';
import {
  commonPrefixElements,
  type NameEncoding,
  readCount,
  readListing,
  readNameEncoding,
  readPageSize,
} from '../../formats/paging.ts';
import {
  element,
  etagElement,
  s3Document,
  textElement,
  timeElement,
} from '../../formats/xml-write.ts';
import { readCustomerKey } from '../../headers/encryption-headers.ts';
import { abortionHeaders } from '../../headers/lifecycle-headers.ts';

/**
 * Lists the parts of an upload. Errors: NoSuchUpload, InvalidArgument. Cost: one
 * index read.
 */
export async function answerListParts(call: ObjectCall, core: Core): Promise<S3Response> {
  const { key, query } = call;
  const uploadId = readUploadId(query);
  const names = readNameEncoding(query);
  const maxParts = readPageSize(query, 'max-parts');
  const marker = readCount(query, 'part-number-marker', 0);
  // With no parts wanted the upload is still looked up: it may not exist.
  const page = await call.bucket.call('listParts', {
    key,
    uploadId,
    afterPartNumber: marker,
    maxParts: Math.max(maxParts, 1),
  });
  const parts = maxParts === 0 ? [] : page.parts;
  const { upload } = page;
  // S3 wants the client's key for some uploads; here it is proved when it comes.
  const customerKey = readCustomerKey(call);
  if (customerKey !== null) unwrapWithCustomerKey(upload.encryption, customerKey, 'part');
  const accounts = await findPageAccounts(call, [upload.initiatorId, upload.ownerId]);
  return xmlResponse(
    s3Document(
      'ListPartsResult',
      textElement('Bucket', call.bucket.record().name) +
        textElement('Key', names.encode(key)) +
        textElement('UploadId', uploadId) +
        textElement('EncodingType', names.isUrl ? 'url' : null) +
        accounts.initiator(upload.initiatorId) +
        accounts.owner(upload.ownerId) +
        textElement('StorageClass', upload.storageClass) +
        textElement('PartNumberMarker', marker) +
        textElement('NextPartNumberMarker', parts.at(-1)?.partNumber ?? 0) +
        textElement('MaxParts', maxParts) +
        textElement('IsTruncated', maxParts > 0 && page.isTruncated) +
        textElement('ChecksumAlgorithm', upload.checksumAlgorithm) +
        textElement('ChecksumType', upload.checksumType) +
        parts.map(partRow).join(''),
    ),
    abortionHeaders(call, core, upload),
  );
}

function partRow(part: UploadedPart): string {
  return element(
    'Part',
    textElement('PartNumber', part.partNumber) +
      timeElement('LastModified', part.lastModifiedMs) +
      etagElement(part.md5) +
      checksumElement(part.checksum) +
      textElement('Size', part.sizeBytes),
  );
}

const EMPTY_PAGE: ListUploadsPage = {
  uploads: [],
  commonPrefixes: [],
  isTruncated: false,
  last: null,
};

/** Lists unfinished uploads. Errors: InvalidArgument. Cost: one index read. */
export async function answerListMultipartUploads(call: BucketCall): Promise<S3Response> {
  const { query } = call;
  const { prefix, delimiter, names } = readListing(query);
  const keyMarker = query.get('key-marker') ?? '';
  // An upload id without a key says nothing about where to go on.
  const uploadIdMarker = keyMarker === '' ? '' : (query.get('upload-id-marker') ?? '');
  const maxUploads = readPageSize(query, 'max-uploads');
  const page =
    maxUploads === 0
      ? EMPTY_PAGE
      : await call.bucket.call('listUploads', {
          prefix,
          delimiter,
          afterKey: keyMarker,
          afterUploadId: uploadIdMarker,
          maxUploads,
        });
  const next = page.isTruncated ? page.last : null;
  const accounts = await findPageAccounts(
    call,
    page.uploads.flatMap(({ initiatorId, ownerId }) => [initiatorId, ownerId]),
  );
  return xmlResponse(
    s3Document(
      'ListMultipartUploadsResult',
      textElement('Bucket', call.bucket.record().name) +
        textElement('KeyMarker', names.encode(keyMarker)) +
        textElement('UploadIdMarker', uploadIdMarker) +
        textElement('NextKeyMarker', next === null ? null : names.encode(next.key)) +
        textElement('NextUploadIdMarker', next?.uploadId ?? null) +
        textElement('Prefix', names.encode(prefix)) +
        textElement('Delimiter', delimiter === '' ? null : names.encode(delimiter)) +
        textElement('EncodingType', names.isUrl ? 'url' : null) +
        textElement('MaxUploads', maxUploads) +
        textElement('IsTruncated', page.isTruncated) +
        page.uploads.map((upload) => uploadRow(upload, names, accounts)).join('') +
        commonPrefixElements(page.commonPrefixes, names),
    ),
  );
}

function uploadRow(upload: Upload, names: NameEncoding, accounts: PageAccounts): string {
  return element(
    'Upload',
    textElement('Key', names.encode(upload.key)) +
      textElement('UploadId', upload.uploadId) +
      accounts.initiator(upload.initiatorId) +
      accounts.owner(upload.ownerId) +
      textElement('StorageClass', upload.storageClass) +
      timeElement('Initiated', upload.createdAtMs) +
      textElement('ChecksumAlgorithm', upload.checksumAlgorithm) +
      textElement('ChecksumType', upload.checksumType),
  );
}
