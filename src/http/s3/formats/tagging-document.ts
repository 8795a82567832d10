// Tags of objects and buckets as S3's XML: read with S3's checks, written in the
// order of their keys. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html,
// API_PutBucketTagging.html
import { toTags } from '../../../core/objects/tags.ts';
import type { Tags } from '../../../domain/object-facts.ts';
import { readFields, required } from './documents.ts';
import { malformed, readXml, type XmlElement } from './xml-read.ts';
import { element, s3Document, textElement } from './xml-write.ts';

/** A `Tagging` document of at most `maxTags`. MalformedXML, InvalidTag. */
export function readTagging(bytes: Uint8Array, maxTags: number): Tags {
  const { TagSet } = readFields(readXml(bytes, 'Tagging'), { TagSet: 'one' });
  if (TagSet === null) throw malformed('TagSet is missing.');
  return readTags(readFields(TagSet, { Tag: 'many' }).Tag, maxTags);
}

/** The tags in elements `Tag`. MalformedXML, InvalidTag. */
export function readTags(elements: readonly XmlElement[], maxTags: number): Tags {
  const pairs = elements.map((tag) => {
    const { Key, Value } = readFields(tag, { Key: 'one', Value: 'one' });
    return [required(Key, 'Key'), required(Value, 'Value')] as const;
  });
  return toTags(pairs, maxTags);
}

/** The document of GetObjectTagging and GetBucketTagging. */
export function writeTagging(tags: Tags): string {
  return s3Document('Tagging', element('TagSet', writeTags(tags)));
}

/** Elements `Tag` in the order of their keys. */
export function writeTags(tags: Tags): string {
  const keys = Object.keys(tags).sort();
  return keys
    .map((key) => element('Tag', textElement('Key', key) + textElement('Value', tags[key] ?? '')))
    .join('');
}
