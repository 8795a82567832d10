// The CORS configuration of a bucket as S3's XML: read with S3's checks, written as
// GetBucketCors shows it. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html,
// API_CORSRule.html
import { CORS_MAX_RULES } from '../../../core/limits.ts';
import type { CorsMethod, CorsRule } from '../../../domain/bucket-settings.ts';
import { StorageError } from '../../../domain/errors.ts';
import { isCorsMethod } from '../../semantics/cors.ts';
import { isHeaderName, isHeaderText } from '../../semantics/header-text.ts';
import { readFields, required, textOf } from './documents.ts';
import { malformed, readXml, type XmlElement } from './xml-read.ts';
import { element, s3Document, textElement } from './xml-write.ts';

const RULE_SHAPE = {
  ID: 'one',
  AllowedMethod: 'many',
  AllowedOrigin: 'many',
  AllowedHeader: 'many',
  ExposeHeader: 'many',
  MaxAgeSeconds: 'one',
} as const;
/** Characters of an ID. Source: API_CORSRule. */
const ID_MAX_LENGTH = 255;
/** Largest MaxAgeSeconds: S3's is a signed 32-bit number. */
const MAX_AGE_MAX_SECONDS = 2 ** 31 - 1;

const invalid = (detail: string) => new StorageError('InvalidRequest', { detail });

/**
 * 1 to 100 rules. MalformedXML; InvalidRequest for a method, wildcard or header
 * name that no rule can have.
 */
export function readCorsConfiguration(bytes: Uint8Array): readonly CorsRule[] {
  const { CORSRule } = readFields(readXml(bytes, 'CORSConfiguration'), { CORSRule: 'many' });
  if (CORSRule.length === 0 || CORSRule.length > CORS_MAX_RULES) {
    throw malformed(`it must have 1 to ${CORS_MAX_RULES} rules.`);
  }
  return CORSRule.map(readRule);
}

function readRule(rule: XmlElement): CorsRule {
  const fields = readFields(rule, RULE_SHAPE);
  if (fields.AllowedMethod.length === 0) throw malformed('AllowedMethod is missing.');
  if (fields.AllowedOrigin.length === 0) throw malformed('AllowedOrigin is missing.');
  return {
    id: fields.ID === null ? null : readId(fields.ID),
    allowedMethods: fields.AllowedMethod.map(readMethod),
    allowedOrigins: fields.AllowedOrigin.map(readPattern),
    allowedHeaders: fields.AllowedHeader.map(readPattern),
    exposeHeaders: fields.ExposeHeader.map(readExposeHeader),
    maxAgeSeconds:
      fields.MaxAgeSeconds === null
        ? null
        : readMaxAge(required(fields.MaxAgeSeconds, 'MaxAgeSeconds')),
  };
}

function readId(element: XmlElement): string {
  const id = textOf(element);
  if ([...id].length <= ID_MAX_LENGTH) return id;
  throw malformed(`an ID has more than ${ID_MAX_LENGTH} characters.`);
}

function readMethod(element: XmlElement): CorsMethod {
  const method = textOf(element).trim();
  if (isCorsMethod(method)) return method;
  throw invalid(`Found unsupported HTTP method in CORS config. Unsupported method is ${method}`);
}

/** A text that no header can carry could match no request. */
function readPattern(element: XmlElement): string {
  const pattern = textOf(element).trim();
  if (pattern === '' || !isHeaderText(pattern))
    throw malformed(`${element.name} has a value that can't be one.`);
  if (pattern.indexOf('*') === pattern.lastIndexOf('*')) return pattern;
  throw invalid(`${element.name} "${pattern}" can not have more than one wildcard.`);
}

/** Reads an ExposeHeader. It is sent as it stands, so it must be a header's name. */
function readExposeHeader(element: XmlElement): string {
  const name = textOf(element).trim();
  if (name.includes('*')) {
    throw invalid(
      `ExposeHeader "${name}" contains wildcard. We currently do not support wildcard for ` +
        'ExposeHeader.',
    );
  }
  if (isHeaderName(name)) return name;
  throw invalid(`ExposeHeader "${name}" is not the name of a header.`);
}

function readMaxAge(text: string): number {
  const seconds = /^\d{1,10}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (seconds <= MAX_AGE_MAX_SECONDS) return seconds;
  throw malformed('MaxAgeSeconds must be a whole number.');
}

/** The document of GetBucketCors. */
export function writeCorsConfiguration(rules: readonly CorsRule[]): string {
  return s3Document('CORSConfiguration', rules.map(writeRule).join(''));
}

function writeRule(rule: CorsRule): string {
  const all = (name: string, values: readonly string[]) =>
    values.map((value) => textElement(name, value)).join('');
  return element(
    'CORSRule',
    all('AllowedHeader', rule.allowedHeaders) +
      all('AllowedMethod', rule.allowedMethods) +
      all('AllowedOrigin', rule.allowedOrigins) +
      all('ExposeHeader', rule.exposeHeaders) +
      textElement('ID', rule.id) +
      textElement('MaxAgeSeconds', rule.maxAgeSeconds),
  );
}
