// The default encryption of a bucket as S3's XML: read with S3's checks, written as
// GetBucketEncryption shows it. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketEncryption.html
import { isKmsKeyId } from '../../../core/encryption/kms-keys.ts';
import type { BucketEncryption } from '../../../domain/bucket-settings.ts';
import { readFields, required, textOf } from './documents.ts';
import { invalidArgument } from './invalid-argument.ts';
import { malformed, readXml, type XmlElement } from './xml-read.ts';
import { element, s3Document, textElement } from './xml-write.ts';

const ROOT = 'ServerSideEncryptionConfiguration';
const RULE_SHAPE = {
  ApplyServerSideEncryptionByDefault: 'one',
  BucketKeyEnabled: 'one',
  BlockedEncryptionTypes: 'one',
} as const;

/**
 * Exactly one rule. MalformedXML, InvalidArgument. Whether the key exists is
 * checked when an object needs it, as S3 does.
 */
export function readEncryptionConfiguration(bytes: Uint8Array): BucketEncryption {
  const { Rule } = readFields(readXml(bytes, ROOT), { Rule: 'many' });
  const [only] = Rule;
  if (only === undefined || Rule.length > 1) throw malformed('it must have one Rule.');
  const rule = readFields(only, RULE_SHAPE);
  return {
    standard: readStandard(rule.ApplyServerSideEncryptionByDefault),
    isBucketKey: rule.BucketKeyEnabled === null ? null : readBoolean(rule.BucketKeyEnabled),
    refusesCustomerKeys:
      rule.BlockedEncryptionTypes !== null && readBlocked(rule.BlockedEncryptionTypes),
  };
}

/** A rule that only blocks a type leaves S3's own default. */
function readStandard(standard: XmlElement | null): BucketEncryption['standard'] {
  if (standard === null) return { kind: 'server' };
  const { SSEAlgorithm, KMSMasterKeyID } = readFields(standard, {
    SSEAlgorithm: 'one',
    KMSMasterKeyID: 'one',
  });
  const algorithm = required(SSEAlgorithm, 'SSEAlgorithm').trim();
  const keyId = KMSMasterKeyID === null ? null : textOf(KMSMasterKeyID).trim() || null;
  if (algorithm === 'AES256') {
    if (keyId === null) return { kind: 'server' };
    throw invalidArgument(
      'ApplyServerSideEncryptionByDefault',
      keyId,
      'a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or ' +
        'aws:kms:dsse',
    );
  }
  if (algorithm !== 'aws:kms' && algorithm !== 'aws:kms:dsse') {
    throw malformed('SSEAlgorithm must be AES256, aws:kms or aws:kms:dsse.');
  }
  if (keyId !== null && !isKmsKeyId(keyId))
    throw invalidArgument('KMSMasterKeyID', keyId, 'Invalid KMS key id.');
  return { kind: 'named', keyId, isDoubled: algorithm === 'aws:kms:dsse' };
}

function readBoolean(flag: XmlElement): boolean {
  const text = textOf(flag).trim();
  if (text === 'true' || text === 'false') return text === 'true';
  throw malformed(`${flag.name} must be true or false.`);
}

/** Whether SSE-C is among the types; NONE blocks nothing. */
function readBlocked(types: XmlElement): boolean {
  const { EncryptionType } = readFields(types, { EncryptionType: 'many' });
  const names = EncryptionType.map((type) => textOf(type).trim());
  const unknown = names.find((name) => name !== 'SSE-C' && name !== 'NONE');
  if (unknown !== undefined) throw malformed('EncryptionType must be SSE-C or NONE.');
  if (names.includes('NONE') && names.length > 1)
    throw malformed('EncryptionType NONE must stand alone.');
  return names.includes('SSE-C');
}

/** The document of GetBucketEncryption. */
export function writeEncryptionConfiguration({
  standard,
  isBucketKey,
  refusesCustomerKeys,
}: BucketEncryption): string {
  const isNamed = standard.kind === 'named';
  const algorithm = !isNamed ? 'AES256' : standard.isDoubled ? 'aws:kms:dsse' : 'aws:kms';
  const blocked = refusesCustomerKeys
    ? element('BlockedEncryptionTypes', textElement('EncryptionType', 'SSE-C'))
    : '';
  return s3Document(
    ROOT,
    element(
      'Rule',
      element(
        'ApplyServerSideEncryptionByDefault',
        textElement('SSEAlgorithm', algorithm) +
          textElement('KMSMasterKeyID', isNamed ? standard.keyId : null),
      ) +
        textElement('BucketKeyEnabled', isBucketKey) +
        blocked,
    ),
  );
}
