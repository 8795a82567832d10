// Typed readers of the XML documents that S3 requests carry. An element that S3
// knows and this service lacks is NotImplemented by name; one that nobody knows, a
// missing or a repeated one is MalformedXML. Operations call them.
import { DELETE_MAX_ELEMENTS, DELETE_MAX_KEYS, PART_NUMBER_MAX } from '../../../core/limits.ts';
import type { ListedPart } from '../../../core/multipart/complete-upload.ts';
import { StorageError } from '../../../domain/errors.ts';
import { CHECKSUM_ALGORITHMS, FOREIGN_CHECKSUMS } from './checksum-names.ts';
import { malformed, readXml, type XmlElement } from './xml-read.ts';

/** Which children an element may have: at most one, or any number. */
export type Shape = Readonly<Record<string, 'one' | 'many'>>;
type Fields<S extends Shape> = {
  readonly [Name in keyof S]: S[Name] extends 'many' ? XmlElement[] : XmlElement | null;
};

/**
 * The children of an element by name; one that the shape does not know, or a
 * repeated `one`, is MalformedXML.
 */
export function readFields<S extends Shape>(parent: XmlElement, shape: S): Fields<S> {
  const fields: Record<string, XmlElement | XmlElement[] | null> = {};
  for (const name in shape) fields[name] = shape[name] === 'many' ? [] : null;
  for (const child of parent.children) {
    const field = Object.hasOwn(fields, child.name) ? fields[child.name] : undefined;
    if (field === undefined) throw malformed(`${parent.name} has no element ${child.name}.`);
    if (Array.isArray(field)) field.push(child);
    else if (field === null) fields[child.name] = child;
    else throw malformed(`${child.name} is repeated.`);
  }
  if (parent.children.length === 0 && parent.text.trim() !== '')
    throw malformed(`${parent.name} holds text.`);
  return fields as Fields<S>;
}

/** Text of an element without children, as it stands: keys keep their spaces. */
export function textOf(element: XmlElement): string {
  if (element.children.length > 0) throw malformed(`${element.name} holds elements.`);
  return element.text;
}

/** Text of an element that must be there: a missing one is MalformedXML. */
export function required(element: XmlElement | null, name: string): string {
  if (element === null) throw malformed(`${name} is missing.`);
  return textOf(element);
}

/** NotImplemented for an element that S3 knows and this service lacks. */
export function refuseElement(parent: string, element: XmlElement | null): void {
  if (element !== null) {
    throw new StorageError('NotImplemented', {
      detail: `The element ${element.name} of ${parent} is not implemented.`,
    });
  }
}

/** Entity tag of a document, with or without its quotes. */
export function unquote(etag: string): string {
  const text = etag.trim();
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/**
 * Reads the state of versioning. MalformedXML, NotImplemented (MFA delete). A
 * configuration without a status changes nothing, so it is none.
 */
export function readVersioningConfiguration(bytes: Uint8Array): 'enabled' | 'suspended' {
  const root = readXml(bytes, 'VersioningConfiguration');
  const { Status, MfaDelete } = readFields(root, { Status: 'one', MfaDelete: 'one' });
  if (MfaDelete !== null && textOf(MfaDelete).trim() !== 'Disabled')
    refuseElement(root.name, MfaDelete);
  const status = required(Status, 'Status').trim();
  if (status === 'Enabled') return 'enabled';
  if (status === 'Suspended') return 'suspended';
  throw malformed('Status must be Enabled or Suspended.');
}

/** One key of a DeleteObjects request, as it came. */
export type KeyToDelete = {
  readonly key: string;
  readonly versionId: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly size: string | null;
};

const DELETE_ENTRY = {
  Key: 'one',
  VersionId: 'one',
  ETag: 'one',
  LastModifiedTime: 'one',
  Size: 'one',
} as const;

/** A DeleteObjects request of 1 to 1,000 keys. MalformedXML. */
export function readDelete(bytes: Uint8Array): {
  isQuiet: boolean;
  objects: readonly KeyToDelete[];
} {
  const root = readXml(bytes, 'Delete', DELETE_MAX_ELEMENTS);
  const fields = readFields(root, { Object: 'many', Quiet: 'one' });
  const count = fields.Object.length;
  if (count === 0 || count > DELETE_MAX_KEYS)
    throw malformed(`it must name 1 to ${DELETE_MAX_KEYS} objects.`);
  const quiet = fields.Quiet === null ? 'false' : textOf(fields.Quiet).trim().toLowerCase();
  if (quiet !== 'true' && quiet !== 'false') throw malformed('Quiet must be true or false.');
  return { isQuiet: quiet === 'true', objects: fields.Object.map(readKeyToDelete) };
}

function readKeyToDelete(element: XmlElement): KeyToDelete {
  const { Key, VersionId, ETag, LastModifiedTime, Size } = readFields(element, DELETE_ENTRY);
  return {
    key: required(Key, 'Key'),
    versionId: VersionId === null ? null : textOf(VersionId),
    etag: ETag === null ? null : unquote(textOf(ETag)),
    lastModified: LastModifiedTime === null ? null : textOf(LastModifiedTime).trim(),
    size: Size === null ? null : textOf(Size).trim(),
  };
}

const PART_SHAPE: Shape = {
  PartNumber: 'one',
  ETag: 'one',
  ...Object.fromEntries(
    [...CHECKSUM_ALGORITHMS, ...FOREIGN_CHECKSUMS].map((name) => [`Checksum${name}`, 'one']),
  ),
};

/**
 * The client's list of parts, 1 to 10,000, in its order. Errors: MalformedXML,
 * NotImplemented (an unknown checksum).
 */
export function readCompleteMultipartUpload(bytes: Uint8Array): readonly ListedPart[] {
  const root = readXml(bytes, 'CompleteMultipartUpload');
  const parts = readFields(root, { Part: 'many' }).Part;
  if (parts.length === 0 || parts.length > PART_NUMBER_MAX)
    throw malformed(`it must list 1 to ${PART_NUMBER_MAX} parts.`);
  return parts.map(readPart);
}

function readPart(element: XmlElement): ListedPart {
  const fields = readFields(element, PART_SHAPE) as Readonly<Record<string, XmlElement | null>>;
  const partNumber = required(fields.PartNumber ?? null, 'PartNumber').trim();
  if (!/^\d{1,9}$/.test(partNumber)) throw malformed('PartNumber must be a whole number.');
  for (const name of FOREIGN_CHECKSUMS)
    refuseElement(element.name, fields[`Checksum${name}`] ?? null);
  let checksum: ListedPart['checksum'] = null;
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const child = fields[`Checksum${algorithm}`] ?? null;
    if (child === null) continue;
    if (checksum !== null) throw malformed('a part has more than one checksum.');
    checksum = { algorithm, value: textOf(child).trim() };
  }
  return {
    partNumber: Number(partNumber),
    etag: unquote(required(fields.ETag ?? null, 'ETag')),
    checksum,
  };
}
