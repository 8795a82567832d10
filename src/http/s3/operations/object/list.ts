// ListObjects and ListObjectsV2: one page of the index as S3 shows it. The index
// decides order, roll-up and where to go on; here are the two requests for it and
// the two documents. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjects.html and
// API_ListObjectsV2.html
import type { ObjectSummary } from '../../../../domain/nouns.ts';
import type { ListObjectsPage } from '../../../../ports/metadata-index.ts';
import { type BucketCall, type S3Response, xmlResponse } from '../../call/call.ts';
import { findPageAccounts } from '../../call/page-accounts.ts';
import {
  commonPrefixElements,
  decodeToken,
  encodeToken,
  type Listing,
  type NameEncoding,
  readListing,
  readPageSize,
} from '../../formats/paging.ts';
import {
  element,
  etagElement,
  s3Document,
  textElement,
  timeElement,
} from '../../formats/xml-write.ts';

/** Parameters of both versions, which their documents repeat. */
type ObjectListing = Listing & { readonly maxKeys: number };

function readObjectListing({ query }: BucketCall): ObjectListing {
  const maxKeys = readPageSize(query, 'max-keys');
  return { ...readListing(query), maxKeys };
}

const EMPTY_PAGE: ListObjectsPage = {
  objects: [],
  commonPrefixes: [],
  isTruncated: false,
  lastName: null,
};

/** A page of no keys is complete, whatever the bucket holds; S3 says so too. */
function readPage(
  call: BucketCall,
  listing: ObjectListing,
  after: string,
): Promise<ListObjectsPage> {
  const { prefix, delimiter, maxKeys } = listing;
  if (maxKeys === 0) return Promise.resolve(EMPTY_PAGE);
  return call.bucket.call('listObjects', { prefix, delimiter, after, maxKeys });
}

/**
 * Escapes that the prefix of version 1 leaves out of its URL encoding, because
 * botocore forgets to undo it there. XML carries these characters as they are, so
 * every client reads the same prefix.
 */
const ENCODED_BLANK = /%(?:09|0A|0D)/g;

/**
 * ListObjects, version 1. InvalidArgument. Cost: one index read of the rows
 * returned.
 */
export async function answerListObjects(call: BucketCall): Promise<S3Response> {
  const listing = readObjectListing(call);
  const marker = call.query.get('marker') ?? '';
  const page = await readPage(call, listing, marker);
  const { encode } = listing.names;
  // Without a delimiter a client goes on from its last key, which it has.
  const { owner } = await findPageAccounts(call, ownersOf(page));
  const nextMarker = page.isTruncated && listing.delimiter !== '' ? page.lastName : null;
  return xmlResponse(
    s3Document(
      'ListBucketResult',
      textElement('Name', call.bucket.record().name) +
        textElement('Prefix', encode(listing.prefix).replace(ENCODED_BLANK, decodeURIComponent)) +
        textElement('Marker', encode(marker)) +
        textElement('NextMarker', nextMarker === null ? null : encode(nextMarker)) +
        commonElements(listing, page) +
        rows(page, listing.names, ({ ownerId }) => owner(ownerId)),
    ),
  );
}

/**
 * ListObjectsV2. An empty continuation token begins anew. InvalidArgument. Cost: as
 * version 1.
 */
export async function answerListObjectsV2(call: BucketCall): Promise<S3Response> {
  const { query } = call;
  const listing = readObjectListing(call);
  const token = query.get('continuation-token');
  const startAfter = query.get('start-after');
  const page = await readPage(call, listing, token ? decodeToken('o1', token) : (startAfter ?? ''));
  const { encode } = listing.names;
  const nextToken =
    page.isTruncated && page.lastName !== null ? encodeToken('o1', page.lastName) : null;
  const accounts =
    query.get('fetch-owner') === 'true' ? await findPageAccounts(call, ownersOf(page)) : null;
  return xmlResponse(
    s3Document(
      'ListBucketResult',
      textElement('Name', call.bucket.record().name) +
        textElement('Prefix', encode(listing.prefix)) +
        textElement('StartAfter', startAfter === null ? null : encode(startAfter)) +
        textElement('ContinuationToken', token) +
        textElement('NextContinuationToken', nextToken) +
        textElement('KeyCount', page.objects.length + page.commonPrefixes.length) +
        commonElements(listing, page) +
        rows(page, listing.names, ({ ownerId }) => accounts?.owner(ownerId) ?? ''),
    ),
  );
}

function commonElements(
  { delimiter, maxKeys, names }: ObjectListing,
  { isTruncated }: ListObjectsPage,
): string {
  return (
    textElement('MaxKeys', maxKeys) +
    textElement('Delimiter', delimiter === '' ? null : names.encode(delimiter)) +
    textElement('EncodingType', names.isUrl ? 'url' : null) +
    textElement('IsTruncated', isTruncated)
  );
}

const ownersOf = (page: ListObjectsPage) => page.objects.map(({ ownerId }) => ownerId);

function rows(
  page: ListObjectsPage,
  names: NameEncoding,
  owner: (object: ObjectSummary) => string,
): string {
  let text = '';
  for (const object of page.objects) text += objectRow(object, names, owner(object));
  return text + commonPrefixElements(page.commonPrefixes, names);
}

function objectRow(object: ObjectSummary, names: NameEncoding, owner: string): string {
  const { checksum } = object;
  return element(
    'Contents',
    textElement('Key', names.encode(object.key)) +
      timeElement('LastModified', object.lastModifiedMs) +
      etagElement(object.etag) +
      textElement('ChecksumAlgorithm', checksum?.algorithm ?? null) +
      textElement('ChecksumType', checksum?.type ?? null) +
      textElement('Size', object.sizeBytes) +
      owner +
      textElement('StorageClass', object.storageClass),
  );
}
