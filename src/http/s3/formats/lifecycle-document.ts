// The lifecycle configuration of a bucket as S3's XML, in both forms: with a prefix
// beside the actions, as it was first, and with a filter. Here is the form; what
// rules must be is core/lifecycle/validate-rules.ts's. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html
import { LIFECYCLE_MAX_RULES, OBJECT_MAX_BYTES, OBJECT_MAX_TAGS } from '../../../core/limits.ts';
import { parseIsoTime } from '../../../core/time.ts';
import { StorageError } from '../../../domain/errors.ts';
import type {
  LifecycleExpiration,
  LifecycleFilter,
  LifecycleRule,
  LifecycleTransition,
  NoncurrentExpiration,
  NoncurrentTransition,
} from '../../../domain/lifecycle.ts';
import { readFields, required, textOf } from './documents.ts';
import { readTags, writeTags } from './tagging-document.ts';
import { malformed, readXml, type XmlElement } from './xml-read.ts';
import { element, s3Document, textElement } from './xml-write.ts';

const RULE_SHAPE = {
  ID: 'one',
  Prefix: 'one',
  Filter: 'one',
  Status: 'one',
  Expiration: 'one',
  Transition: 'many',
  NoncurrentVersionExpiration: 'one',
  NoncurrentVersionTransition: 'many',
  AbortIncompleteMultipartUpload: 'one',
} as const;
const SIZES_SHAPE = { ObjectSizeGreaterThan: 'one', ObjectSizeLessThan: 'one' } as const;
const AND_SHAPE = { Prefix: 'one', Tag: 'many', ...SIZES_SHAPE } as const;
const FILTER_SHAPE = { Prefix: 'one', Tag: 'one', ...SIZES_SHAPE, And: 'one' } as const;
const EXPIRATION_SHAPE = { Days: 'one', Date: 'one', ExpiredObjectDeleteMarker: 'one' } as const;
const TRANSITION_SHAPE = { Days: 'one', Date: 'one', StorageClass: 'one' } as const;
const NONCURRENT_SHAPE = { NoncurrentDays: 'one', NewerNoncurrentVersions: 'one' } as const;
const NO_FILTER: LifecycleFilter = {
  prefix: null,
  tags: {},
  sizeGreaterThan: null,
  sizeLessThan: null,
};

/**
 * 1 to 1,000 rules; `makeId` names those that have no ID. MalformedXML,
 * InvalidArgument (a date), InvalidTag.
 */
export function readLifecycle(bytes: Uint8Array, makeId: () => string): readonly LifecycleRule[] {
  const { Rule } = readFields(readXml(bytes, 'LifecycleConfiguration'), { Rule: 'many' });
  if (Rule.length === 0 || Rule.length > LIFECYCLE_MAX_RULES) {
    throw malformed(`it must have 1 to ${LIFECYCLE_MAX_RULES} rules.`);
  }
  return Rule.map((rule) => readRule(rule, makeId));
}

function readRule(parent: XmlElement, makeId: () => string): LifecycleRule {
  const fields = readFields(parent, RULE_SHAPE);
  const { Prefix, Filter, AbortIncompleteMultipartUpload: abort } = fields;
  if ((Prefix === null) === (Filter === null))
    throw malformed('a rule needs either Filter or Prefix.');
  const id = fields.ID === null ? '' : textOf(fields.ID);
  return {
    id: id === '' ? makeId() : id,
    isEnabled: readStatus(fields.Status),
    isOldForm: Prefix !== null,
    filter:
      Filter === null ? { ...NO_FILTER, prefix: required(Prefix, 'Prefix') } : readFilter(Filter),
    expiration: fields.Expiration === null ? null : readExpiration(fields.Expiration),
    transitions: fields.Transition.map(readTransition),
    noncurrentExpiration:
      fields.NoncurrentVersionExpiration === null
        ? null
        : readNoncurrent(fields.NoncurrentVersionExpiration),
    noncurrentTransitions: fields.NoncurrentVersionTransition.map(readNoncurrentTransition),
    abortUploadsAfterDays:
      abort === null
        ? null
        : wholeNumber(
            readFields(abort, { DaysAfterInitiation: 'one' }).DaysAfterInitiation,
            'DaysAfterInitiation',
          ),
  };
}

function readStatus(element: XmlElement | null): boolean {
  const status = required(element, 'Status').trim();
  if (status === 'Enabled') return true;
  if (status === 'Disabled') return false;
  throw malformed('Status must be Enabled or Disabled.');
}

/**
 * A filter has one condition, or several in its `And`; an empty one is about all
 * objects.
 */
function readFilter(parent: XmlElement): LifecycleFilter {
  const { And, Tag, Prefix, ObjectSizeGreaterThan, ObjectSizeLessThan } = readFields(
    parent,
    FILTER_SHAPE,
  );
  if (parent.children.length > 1)
    throw malformed('a Filter has one condition; several stand in its And.');
  if (And === null)
    return readConditions(
      Prefix,
      Tag === null ? [] : [Tag],
      ObjectSizeGreaterThan,
      ObjectSizeLessThan,
    );
  const all = readFields(And, AND_SHAPE);
  if (And.children.length < 2) throw malformed('an And has at least two conditions.');
  return readConditions(all.Prefix, all.Tag, all.ObjectSizeGreaterThan, all.ObjectSizeLessThan);
}

function readConditions(
  prefix: XmlElement | null,
  tags: readonly XmlElement[],
  greater: XmlElement | null,
  less: XmlElement | null,
): LifecycleFilter {
  return {
    prefix: prefix === null ? null : textOf(prefix),
    tags: readTags(tags, OBJECT_MAX_TAGS),
    sizeGreaterThan: greater === null ? null : readSize(greater),
    sizeLessThan: less === null ? null : readSize(less),
  };
}

function readSize(element: XmlElement): number {
  const text = textOf(element).trim();
  const sizeBytes = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (sizeBytes <= OBJECT_MAX_BYTES) return sizeBytes;
  throw malformed(`${element.name} must be a size of an object.`);
}

function wholeNumber(element: XmlElement | null, name: string): number {
  const text = required(element, name).trim();
  if (/^[+-]?\d{1,15}$/.test(text)) return Number(text);
  throw malformed(`${name} must be a whole number.`);
}

/**
 * S3 takes dates and times of ISO 8601. InvalidArgument for anything else; that it
 * is midnight is asked later.
 */
function readDate(element: XmlElement): number {
  const text = textOf(element).trim();
  const dateMs = parseIsoTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (dateMs !== null) return dateMs;
  throw new StorageError('InvalidArgument', {
    detail: "'Date' must be a date of ISO 8601 at midnight GMT",
  });
}

function readExpiration(parent: XmlElement): LifecycleExpiration {
  const {
    Days,
    Date: date,
    ExpiredObjectDeleteMarker: marker,
  } = readFields(parent, EXPIRATION_SHAPE);
  if (parent.children.length !== 1)
    throw malformed('Expiration has one of Days, Date and ExpiredObjectDeleteMarker.');
  const flag = marker === null ? null : textOf(marker).trim().toLowerCase();
  if (flag !== null && flag !== 'true' && flag !== 'false') {
    throw malformed('ExpiredObjectDeleteMarker must be true or false.');
  }
  return {
    days: Days === null ? null : wholeNumber(Days, 'Days'),
    dateMs: date === null ? null : readDate(date),
    expiredObjectDeleteMarker: flag === null ? null : flag === 'true',
  };
}

function readTransition(parent: XmlElement): LifecycleTransition {
  const { Days, Date: date, StorageClass } = readFields(parent, TRANSITION_SHAPE);
  if ((Days === null) === (date === null)) throw malformed('Transition has one of Days and Date.');
  return {
    days: Days === null ? null : wholeNumber(Days, 'Days'),
    dateMs: date === null ? null : readDate(date),
    storageClass: required(StorageClass, 'StorageClass').trim(),
  };
}

function readNoncurrent(parent: XmlElement): NoncurrentExpiration {
  return readAge(readFields(parent, NONCURRENT_SHAPE));
}

function readNoncurrentTransition(parent: XmlElement): NoncurrentTransition {
  const fields = readFields(parent, { ...NONCURRENT_SHAPE, StorageClass: 'one' });
  return { ...readAge(fields), storageClass: required(fields.StorageClass, 'StorageClass').trim() };
}

function readAge(fields: {
  NoncurrentDays: XmlElement | null;
  NewerNoncurrentVersions: XmlElement | null;
}) {
  const newer = fields.NewerNoncurrentVersions;
  return {
    noncurrentDays: wholeNumber(fields.NoncurrentDays, 'NoncurrentDays'),
    newerVersions: newer === null ? null : wholeNumber(newer, 'NewerNoncurrentVersions'),
  };
}

/**
 * The document of GetBucketLifecycleConfiguration: each rule in the form in which
 * it was put.
 */
export function writeLifecycle(rules: readonly LifecycleRule[]): string {
  return s3Document('LifecycleConfiguration', rules.map(writeRule).join(''));
}

function writeRule(rule: LifecycleRule): string {
  const { expiration, noncurrentExpiration, abortUploadsAfterDays } = rule;
  const content = [
    textElement('ID', rule.id),
    rule.isOldForm ? textElement('Prefix', rule.filter.prefix) : writeFilter(rule.filter),
    textElement('Status', rule.isEnabled ? 'Enabled' : 'Disabled'),
    expiration === null
      ? ''
      : element(
          'Expiration',
          writeTime(expiration) +
            textElement('ExpiredObjectDeleteMarker', expiration.expiredObjectDeleteMarker),
        ),
    ...rule.transitions.map((transition) =>
      element(
        'Transition',
        writeTime(transition) + textElement('StorageClass', transition.storageClass),
      ),
    ),
    noncurrentExpiration === null
      ? ''
      : element('NoncurrentVersionExpiration', writeAge(noncurrentExpiration)),
    ...rule.noncurrentTransitions.map((transition) =>
      element(
        'NoncurrentVersionTransition',
        writeAge(transition) + textElement('StorageClass', transition.storageClass),
      ),
    ),
    abortUploadsAfterDays === null
      ? ''
      : element(
          'AbortIncompleteMultipartUpload',
          textElement('DaysAfterInitiation', abortUploadsAfterDays),
        ),
  ];
  return element('Rule', content.join(''));
}

function writeFilter({ prefix, tags, sizeGreaterThan, sizeLessThan }: LifecycleFilter): string {
  const conditions =
    textElement('Prefix', prefix) +
    writeTags(tags) +
    textElement('ObjectSizeGreaterThan', sizeGreaterThan) +
    textElement('ObjectSizeLessThan', sizeLessThan);
  const single = [prefix, sizeGreaterThan, sizeLessThan].filter((value) => value !== null);
  const count = single.length + Object.keys(tags).length;
  return element('Filter', count > 1 ? element('And', conditions) : conditions);
}

function writeTime({ days, dateMs }: Pick<LifecycleTransition, 'days' | 'dateMs'>): string {
  return (
    textElement('Days', days) +
    textElement('Date', dateMs === null ? null : new Date(dateMs).toISOString())
  );
}

function writeAge({ noncurrentDays, newerVersions }: NoncurrentExpiration): string {
  return (
    textElement('NoncurrentDays', noncurrentDays) +
    textElement('NewerNoncurrentVersions', newerVersions)
  );
}
