// GetObjectAttributes: what HeadObject and ListParts say of a finished object,
// chosen by name. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html
import { unwrapWithCustomerKey } from '../../../../core/encryption/envelope.ts';
import { LIST_MAX_KEYS } from '../../../../core/limits.ts';
import type { ObjectVersion } from '../../../../domain/nouns.ts';
import { formatHttpDate } from '../../../semantics/http-date.ts';
import {
  type ObjectCall,
  type S3Response,
  type VersionCall,
  xmlResponse,
} from '../../call/call.ts';
import { checksumElement } from '../../formats/checksum-names.ts';
import { invalidArgument } from '../../formats/invalid-argument.ts';
import { versionHeaders } from '../../formats/version-name.ts';
import { element, s3Document, textElement } from '../../formats/xml-write.ts';
import { readCustomerKey, refuseEncryptionOfRead } from '../../headers/encryption-headers.ts';

const HEADER = 'x-amz-object-attributes';
const ATTRIBUTES = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const;
type Attribute = (typeof ATTRIBUTES)[number];

/**
 * Shows the attributes of a version that the request names. Errors:
 * InvalidArgument, NoSuchKey, AccessDenied. Cost: one index read.
 */
export async function answerGetObjectAttributes(call: VersionCall): Promise<S3Response> {
  const requested = readAttributes(call.header(HEADER));
  const maxParts = Math.min(readNumber(call, 'x-amz-max-parts', LIST_MAX_KEYS), LIST_MAX_KEYS);
  const marker = readNumber(call, 'x-amz-part-number-marker', 0);
  refuseEncryptionOfRead(call);
  const customerKey = readCustomerKey(call);
  const { version } = call;
  unwrapWithCustomerKey(version.encryption, customerKey);
  const elements: Record<Attribute, () => string> = {
    // The one document in which S3 leaves the quotes off.
    ETag: () => textElement('ETag', version.etag),
    Checksum: () => checksumOf(version),
    ObjectParts: () => partsOf(version, marker, maxParts),
    StorageClass: () => textElement('StorageClass', version.storageClass),
    ObjectSize: () => textElement('ObjectSize', version.sizeBytes),
  };
  const content = ATTRIBUTES.filter((name) => requested.has(name)).map((name) => elements[name]());
  return xmlResponse(s3Document('GetObjectAttributesResponse', content.join('')), {
    'last-modified': formatHttpDate(version.lastModifiedMs),
    ...versionHeaders(call.bucket.record(), version, call.query.get('versionId') !== null),
  });
}

function readAttributes(value: string | null): ReadonlySet<string> {
  const names = (value ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const isKnown = names.every((name) => ATTRIBUTES.some((attribute) => attribute === name));
  if (names.length === 0 || !isKnown)
    throw invalidArgument(HEADER, value ?? '', 'Invalid attribute name specified.');
  return new Set(names);
}

function readNumber(call: ObjectCall, header: string, absent: number): number {
  const value = call.header(header);
  if (value === null || value === '') return absent;
  if (!/^\d{1,9}$/.test(value))
    throw invalidArgument(header, value, `${header} must be a whole number.`);
  return Number(value);
}

function checksumOf({ checksum }: ObjectVersion): string {
  if (checksum === null) return '';
  return element(
    'Checksum',
    checksumElement(checksum) + textElement('ChecksumType', checksum.type),
  );
}

/**
 * Nothing for an object that was put in one piece. Parts are listed with and
 * without checksums of their own.
 */
function partsOf({ parts, checksum }: ObjectVersion, marker: number, maxParts: number): string {
  if (parts === null) return '';
  const rest = parts.filter((part) => part.partNumber > marker);
  const page = rest.slice(0, maxParts);
  let rows = '';
  for (const { partNumber, sizeBytes, checksum: value } of page) {
    const own =
      value === null || checksum === null ? null : { algorithm: checksum.algorithm, value };
    rows += element(
      'Part',
      textElement('PartNumber', partNumber) + textElement('Size', sizeBytes) + checksumElement(own),
    );
  }
  return element(
    'ObjectParts',
    textElement('PartsCount', parts.length) +
      textElement('PartNumberMarker', marker) +
      textElement('NextPartNumberMarker', page.at(-1)?.partNumber ?? 0) +
      textElement('MaxParts', maxParts) +
      textElement('IsTruncated', maxParts > 0 && rest.length > page.length) +
      rows,
  );
}
