// Object lock as S3's XML: the configuration of a bucket, the retention and the
// legal hold of a version. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectLockConfiguration.html,
// API_PutObjectRetention.html, API_PutObjectLegalHold.html
import { RETENTION_MAX_DAYS, RETENTION_MAX_YEARS } from '../../../core/limits.ts';
import { parseIsoTime } from '../../../core/time.ts';
import type { BucketSettings } from '../../../domain/bucket-settings.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { DefaultRetention, ObjectLock, RetentionMode } from '../../../domain/object-facts.ts';
import { readFields, required } from './documents.ts';
import { malformed, readXml, type XmlElement } from './xml-read.ts';
import { element, s3Document, textElement } from './xml-write.ts';

type BucketLock = NonNullable<BucketSettings['objectLock']>;

/**
 * Reads the lock configuration of a bucket. MalformedXML, InvalidRetentionPeriod.
 */
export function readObjectLockConfiguration(bytes: Uint8Array): BucketLock {
  const root = readFields(readXml(bytes, 'ObjectLockConfiguration'), {
    ObjectLockEnabled: 'one',
    Rule: 'one',
  });
  if (required(root.ObjectLockEnabled, 'ObjectLockEnabled').trim() !== 'Enabled') {
    throw malformed('ObjectLockEnabled must be Enabled.');
  }
  if (root.Rule === null) return { defaultRetention: null };
  const { DefaultRetention } = readFields(root.Rule, { DefaultRetention: 'one' });
  if (DefaultRetention === null) throw malformed('DefaultRetention is missing.');
  return { defaultRetention: readDefaultRetention(DefaultRetention) };
}

function readDefaultRetention(parent: XmlElement): DefaultRetention {
  const { Mode, Days, Years } = readFields(parent, { Mode: 'one', Days: 'one', Years: 'one' });
  const mode = readMode(Mode);
  if ((Days === null) === (Years === null))
    throw malformed('one of Days and Years is needed, not both.');
  return {
    mode,
    days: Days === null ? null : readPeriod(required(Days, 'Days'), RETENTION_MAX_DAYS),
    years: Years === null ? null : readPeriod(required(Years, 'Years'), RETENTION_MAX_YEARS),
  };
}

function readMode(element: XmlElement | null): RetentionMode {
  const mode = required(element, 'Mode').trim();
  if (mode === 'GOVERNANCE' || mode === 'COMPLIANCE') return mode;
  throw malformed('Mode must be GOVERNANCE or COMPLIANCE.');
}

function readPeriod(text: string, max: number): number {
  if (!/^-?\d{1,9}$/.test(text.trim())) throw malformed('a period must be a whole number.');
  const period = Number(text);
  if (period > max)
    throw new StorageError('InvalidRetentionPeriod', {
      detail: 'Default retention period is too large.',
    });
  if (period > 0) return period;
  throw new StorageError('InvalidRetentionPeriod', {
    detail: 'Default retention period must be a positive integer value.',
  });
}

export function writeObjectLockConfiguration({ defaultRetention }: BucketLock): string {
  const rule =
    defaultRetention === null
      ? ''
      : textElement('Mode', defaultRetention.mode) +
        textElement('Days', defaultRetention.days) +
        textElement('Years', defaultRetention.years);
  return s3Document(
    'ObjectLockConfiguration',
    textElement('ObjectLockEnabled', 'Enabled') +
      (rule === '' ? '' : element('Rule', element('DefaultRetention', rule))),
  );
}

/**
 * Reads the retention of a version. Null for an empty document, which takes the
 * retention away. MalformedXML; InvalidArgument for a date that is over.
 */
export function readRetention(bytes: Uint8Array, nowMs: number): ObjectLock['retention'] {
  const root = readFields(readXml(bytes, 'Retention'), { Mode: 'one', RetainUntilDate: 'one' });
  if (root.Mode === null && root.RetainUntilDate === null) return null;
  const mode = readMode(root.Mode);
  const untilMs = parseIsoTime(required(root.RetainUntilDate, 'RetainUntilDate').trim());
  if (untilMs === null) throw malformed('RetainUntilDate must be a time of ISO 8601.');
  requireFuture(untilMs, nowMs);
  return { mode, untilMs };
}

/** Refuses a retention that is over already. InvalidArgument. */
export function requireFuture(untilMs: number, nowMs: number): void {
  if (untilMs > nowMs) return;
  throw new StorageError('InvalidArgument', {
    detail: 'The retain until date must be in the future!',
  });
}

/**
 * Writes a retention to the millisecond, so that a GET shows what a PUT has sent.
 */
export function writeRetention({ mode, untilMs }: NonNullable<ObjectLock['retention']>): string {
  const until = textElement('RetainUntilDate', new Date(untilMs).toISOString());
  return s3Document('Retention', textElement('Mode', mode) + until);
}

/** Reads whether a legal hold is on. MalformedXML. */
export function readLegalHold(bytes: Uint8Array): boolean {
  const status = required(
    readFields(readXml(bytes, 'LegalHold'), { Status: 'one' }).Status,
    'Status',
  ).trim();
  if (status === 'ON') return true;
  if (status === 'OFF') return false;
  throw malformed('Status must be ON or OFF.');
}

export function writeLegalHold(isOn: boolean): string {
  return s3Document('LegalHold', textElement('Status', isOn ? 'ON' : 'OFF'));
}
