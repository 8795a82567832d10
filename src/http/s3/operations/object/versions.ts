// Versioning of a bucket, and the listing of all versions and delete markers.
// Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html and
// API_PutBucketVersioning.html

import type { Core } from '../../../../core/core.ts';
import { SETTING_MAX_BYTES } from '../../../../core/limits.ts';
import { setBucketSettings } from '../../../../core/opened-bucket/set-bucket-settings.ts';
import { StorageError } from '../../../../domain/errors.ts';
import type { VersionName, VersionSummary } from '../../../../domain/nouns.ts';
import type { ListVersionsPage } from '../../../../ports/metadata-index.ts';
import { type BucketCall, emptyResponse, type S3Response, xmlResponse } from '../../call/call.ts';
import { findPageAccounts } from '../../call/page-accounts.ts';
import { readDocument } from '../../call/read-document.ts';
import { readVersioningConfiguration } from '../../formats/documents.ts';
import { invalidArgument } from '../../formats/invalid-argument.ts';
import {
  commonPrefixElements,
  type NameEncoding,
  readListing,
  readPageSize,
} from '../../formats/paging.ts';
import { parseVersionName, versionNameOf } from '../../formats/version-name.ts';
import {
  element,
  etagElement,
  s3Document,
  textElement,
  timeElement,
} from '../../formats/xml-write.ts';

/** Empty for a bucket that never had versioning. */
export function answerGetBucketVersioning(call: BucketCall): S3Response {
  const { versioning } = call.bucket.record().settings;
  const status = versioning === null ? null : versioning === 'enabled' ? 'Enabled' : 'Suspended';
  return xmlResponse(s3Document('VersioningConfiguration', textElement('Status', status)));
}

/**
 * Enables or suspends versioning. Errors: MalformedXML, NotImplemented (MFA
 * delete), InvalidBucketState (suspending with object lock). Cost: one commit.
 */
export async function answerPutBucketVersioning(call: BucketCall, core: Core): Promise<S3Response> {
  if (call.header('x-amz-mfa') !== null)
    throw new StorageError('NotImplemented', { detail: 'MFA delete is not implemented.' });
  const versioning = readVersioningConfiguration(await readDocument(call, SETTING_MAX_BYTES));
  await setBucketSettings(core, call.bucket, { versioning });
  return emptyResponse(200);
}

const EMPTY_PAGE: ListVersionsPage = {
  versions: [],
  commonPrefixes: [],
  isTruncated: false,
  last: null,
};

/**
 * Lists versions and delete markers. InvalidArgument. Cost: one index read of at
 * most twice the rows returned.
 */
export async function answerListObjectVersions(call: BucketCall): Promise<S3Response> {
  const { query } = call;
  const { prefix, delimiter, names } = readListing(query);
  const keyMarker = query.get('key-marker') ?? '';
  const versionMarker = query.get('version-id-marker');
  const maxKeys = readPageSize(query, 'max-keys');
  const afterVersionId = readVersionMarker(versionMarker, keyMarker);
  const page =
    maxKeys === 0
      ? EMPTY_PAGE
      : await call.bucket.call('listVersions', {
          prefix,
          delimiter,
          afterKey: keyMarker,
          afterVersionId,
          maxKeys,
        });
  const next = page.isTruncated ? page.last : null;
  const { owner } = await findPageAccounts(
    call,
    page.versions.map(({ ownerId }) => ownerId),
  );
  let rows = '';
  for (const version of page.versions) rows += versionRow(version, names, owner(version.ownerId));
  rows += commonPrefixElements(page.commonPrefixes, names);
  return xmlResponse(
    s3Document(
      'ListVersionsResult',
      textElement('Name', call.bucket.record().name) +
        textElement('Prefix', names.encode(prefix)) +
        textElement('KeyMarker', names.encode(keyMarker)) +
        textElement('VersionIdMarker', versionMarker ?? '') +
        textElement('NextKeyMarker', next === null ? null : names.encode(next.key)) +
        textElement(
          'NextVersionIdMarker',
          next === null || next.versionId === '' ? null : next.versionId,
        ) +
        textElement('MaxKeys', maxKeys) +
        textElement('Delimiter', delimiter === '' ? null : names.encode(delimiter)) +
        textElement('EncodingType', names.isUrl ? 'url' : null) +
        textElement('IsTruncated', page.isTruncated) +
        rows,
    ),
  );
}

function readVersionMarker(marker: string | null, keyMarker: string): VersionName | '' {
  if (marker === null) return '';
  if (keyMarker === '') {
    throw invalidArgument(
      'version-id-marker',
      marker,
      'A version-id marker cannot be specified without a key marker.',
    );
  }
  return marker === '' ? '' : (parseVersionName(marker) ?? '');
}

function versionRow(version: VersionSummary, names: NameEncoding, owner: string): string {
  const common =
    textElement('Key', names.encode(version.key)) +
    textElement('VersionId', versionNameOf(version)) +
    textElement('IsLatest', version.isLatest) +
    timeElement('LastModified', version.lastModifiedMs);
  if (version.isMarker) return element('DeleteMarker', common + owner);
  const { checksum } = version;
  return element(
    'Version',
    common +
      etagElement(version.etag) +
      textElement('ChecksumAlgorithm', checksum?.algorithm ?? null) +
      textElement('ChecksumType', checksum?.type ?? null) +
      textElement('Size', version.sizeBytes) +
      owner +
      textElement('StorageClass', version.storageClass),
  );
}
