// The document of CreateBucket, read with S3's checks.
import { BUCKET_MAX_TAGS } from '../../../core/limits.ts';
import type { Tags } from '../../../domain/object-facts.ts';
import { readFields, refuseElement, textOf } from './documents.ts';
import { readTags } from './tagging-document.ts';
import { readXml } from './xml-read.ts';

/** Settings that a client requests for a new bucket; null where it says nothing. */
export type CreateBucketConfiguration = {
  readonly region: string | null;
  readonly tags: Tags | null;
};

/**
 * Reads the document of CreateBucket. Errors: MalformedXML, InvalidTag,
 * NotImplemented.
 */
export function readCreateBucketConfiguration(bytes: Uint8Array): CreateBucketConfiguration {
  const root = readXml(bytes, 'CreateBucketConfiguration');
  const fields = readFields(root, {
    LocationConstraint: 'one',
    Location: 'one',
    Bucket: 'one',
    Tags: 'one',
  });
  for (const element of [fields.Location, fields.Bucket]) refuseElement(root.name, element);
  const region = fields.LocationConstraint === null ? '' : textOf(fields.LocationConstraint).trim();
  const tags =
    fields.Tags === null
      ? null
      : readTags(readFields(fields.Tags, { Tag: 'many' }).Tag, BUCKET_MAX_TAGS);
  return { region: region === '' ? null : region, tags };
}
