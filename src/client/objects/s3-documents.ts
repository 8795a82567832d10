// What S3 says of objects and parts, in headers and documents.
import { textOf } from '../xml.ts';
import type { Algorithm, FoundObject, StoredPart } from './backend.ts';
import { checksumHeader, completedOf, unquoted } from './object-headers.ts';
import { metadataOf } from './read-metadata.ts';

/** The checksums that can be compared here. */
const ALGORITHMS: readonly Algorithm[] = ['SHA256', 'CRC64NVME'];

const checksumOf = (algorithm: Algorithm | undefined, value: string | null) =>
  algorithm === undefined ? null : { algorithm, value: value ?? '' };

export function foundObject(headers: Headers): FoundObject {
  const algorithm = ALGORITHMS.find((name) => headers.has(checksumHeader(name)));
  return {
    sizeBytes: Number(headers.get('content-length')),
    checksum: checksumOf(algorithm, algorithm ? headers.get(checksumHeader(algorithm)) : null),
    contentType: headers.get('content-type'),
    metadata: metadataOf(headers),
    completed: completedOf(headers),
  };
}

export function partOf(xml: string): StoredPart {
  const algorithm = ALGORITHMS.find((name) => xml.includes(`<Checksum${name}>`));
  return {
    partNumber: Number(textOf(xml, 'PartNumber')),
    sizeBytes: Number(textOf(xml, 'Size')),
    etag: unquoted(textOf(xml, 'ETag') ?? ''),
    checksum: checksumOf(algorithm, textOf(xml, `Checksum${algorithm}`)),
  };
}

export function partElement({ partNumber, etag, checksum }: StoredPart): string {
  const digest =
    checksum === null
      ? ''
      : `<Checksum${checksum.algorithm}>${checksum.value}</Checksum${checksum.algorithm}>`;
  const facts = `<PartNumber>${partNumber}</PartNumber><ETag>"${etag}"</ETag>`;
  return `<Part>${facts}${digest}</Part>`;
}
