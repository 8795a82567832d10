// The logging configuration of a bucket as S3's XML.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLogging.html
import { LOG_PREFIX_MAX_LENGTH } from '../../../core/logging/require-log-target.ts';
import { isBucketName, parseBucketName } from '../../../core/parse-names.ts';
import type { BucketLogging } from '../../../domain/bucket-settings.ts';
import { StorageError } from '../../../domain/errors.ts';
import { readFields, required, textOf } from './documents.ts';
import { malformed, readXml, type XmlElement } from './xml-read.ts';
import { element, s3Document, textElement } from './xml-write.ts';

const DATE_SOURCES = ['EventTime', 'DeliveryTime'] as const;

/**
 * Reads the target of access logs. Null turns logging off. MalformedXML;
 * InvalidTargetBucketForLogging; NotImplemented (grants: objects belong to the
 * target's owner).
 */
export function readBucketLogging(bytes: Uint8Array, callerId: string): BucketLogging | null {
  const { LoggingEnabled } = readFields(readXml(bytes, 'BucketLoggingStatus'), {
    LoggingEnabled: 'one',
  });
  if (LoggingEnabled === null) return null;
  const fields = readFields(LoggingEnabled, {
    TargetBucket: 'one',
    TargetPrefix: 'one',
    TargetGrants: 'one',
    TargetObjectKeyFormat: 'one',
  });
  // Rights of the caller, who owns the target too, change nothing.
  if (
    fields.TargetGrants !== null &&
    !textOfAll(fields.TargetGrants, 'ID').every((id) => id === callerId)
  ) {
    throw new StorageError('NotImplemented', {
      detail:
        'TargetGrants are not implemented: log objects belong to the owner of the target bucket.',
    });
  }
  const targetBucket = required(fields.TargetBucket, 'TargetBucket').trim();
  if (!isBucketName(targetBucket)) throw new StorageError('InvalidTargetBucketForLogging');
  const targetPrefix = fields.TargetPrefix === null ? '' : textOf(fields.TargetPrefix);
  if (targetPrefix.length > LOG_PREFIX_MAX_LENGTH) throw malformed('TargetPrefix is too long.');
  return {
    targetBucket: parseBucketName(targetBucket),
    targetPrefix,
    partitionedBy: readKeyFormat(fields.TargetObjectKeyFormat),
  };
}

/** The ids of the grantees; a grantee of another kind is ''. */
function textOfAll(grants: XmlElement, name: 'ID'): string[] {
  return readFields(grants, { Grant: 'many' }).Grant.map((grant) => {
    const { Grantee } = readFields(grant, { Grantee: 'one', Permission: 'one' });
    if (Grantee === null) throw malformed('Grantee is missing.');
    const fields = readFields(Grantee, {
      ID: 'one',
      DisplayName: 'one',
      URI: 'one',
      EmailAddress: 'one',
    });
    return fields[name] === null ? '' : textOf(fields[name]).trim();
  });
}

function readKeyFormat(format: XmlElement | null): BucketLogging['partitionedBy'] {
  if (format === null) return null;
  const { SimplePrefix, PartitionedPrefix } = readFields(format, {
    SimplePrefix: 'one',
    PartitionedPrefix: 'one',
  });
  if ((SimplePrefix === null) === (PartitionedPrefix === null))
    throw malformed('TargetObjectKeyFormat must be one of the two formats.');
  if (PartitionedPrefix === null) return null;
  const { PartitionDateSource } = readFields(PartitionedPrefix, { PartitionDateSource: 'one' });
  const dateSource =
    PartitionDateSource === null ? 'DeliveryTime' : textOf(PartitionDateSource).trim();
  const source = DATE_SOURCES.find((each) => each === dateSource);
  if (source === undefined)
    throw malformed('PartitionDateSource must be EventTime or DeliveryTime.');
  return source;
}

export function writeBucketLogging(logging: BucketLogging | null): string {
  if (logging === null) return s3Document('BucketLoggingStatus', '');
  const { targetBucket, targetPrefix, partitionedBy } = logging;
  const format =
    partitionedBy === null
      ? element('SimplePrefix', '')
      : element('PartitionedPrefix', textElement('PartitionDateSource', partitionedBy));
  return s3Document(
    'BucketLoggingStatus',
    element(
      'LoggingEnabled',
      textElement('TargetBucket', targetBucket) +
        textElement('TargetPrefix', targetPrefix) +
        element('TargetObjectKeyFormat', format),
    ),
  );
}
