// The website configuration of a bucket as S3's XML: read with S3's checks, written
// as GetBucketWebsite shows it. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketWebsite.html,
// API_RoutingRule.html, API_Redirect.html
import { ROUTING_MAX_RULES } from '../../../core/limits.ts';
import type {
  RedirectProtocol,
  RoutingRedirect,
  RoutingRule,
  WebsiteConfiguration,
} from '../../../domain/bucket-settings.ts';
import { StorageError } from '../../../domain/errors.ts';
import { readFields, required, textOf } from './documents.ts';
import { invalidArgument } from './invalid-argument.ts';
import { malformed, readXml, type XmlElement } from './xml-read.ts';
import { element, s3Document, textElement } from './xml-write.ts';

const SHAPE = {
  IndexDocument: 'one',
  ErrorDocument: 'one',
  RedirectAllRequestsTo: 'one',
  RoutingRules: 'one',
} as const;
const CONDITION = { KeyPrefixEquals: 'one', HttpErrorCodeReturnedEquals: 'one' } as const;
const REDIRECT = {
  HostName: 'one',
  HttpRedirectCode: 'one',
  Protocol: 'one',
  ReplaceKeyPrefixWith: 'one',
  ReplaceKeyWith: 'one',
} as const;
/**
 * 300 is a choice, 304 no redirect, 305 and 306 are history. Source: RFC 9110
 * section 15.4
 */
export const REDIRECT_CODES: ReadonlySet<string> = new Set(['301', '302', '303', '307', '308']);
/** A host that is sent in a Location: visible ASCII, and no longer than a URL may be. */
export const HOST_NAME = /^[!#-;=?-[\]-~]{1,1024}$/;

const invalid = (detail: string) => new StorageError('InvalidRequest', { detail });

/**
 * Reads the website configuration of a bucket. MalformedXML; InvalidArgument and
 * InvalidRequest for what no website can have.
 */
export function readWebsiteConfiguration(bytes: Uint8Array): WebsiteConfiguration {
  const fields = readFields(readXml(bytes, 'WebsiteConfiguration'), SHAPE);
  if (fields.RedirectAllRequestsTo !== null) {
    if (
      fields.IndexDocument !== null ||
      fields.ErrorDocument !== null ||
      fields.RoutingRules !== null
    ) {
      throw invalid(
        'RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules.',
      );
    }
    return {
      redirectAllTo: readRedirectAll(fields.RedirectAllRequestsTo),
      indexSuffix: null,
      errorKey: null,
      routingRules: [],
    };
  }
  if (fields.IndexDocument === null) {
    throw invalidArgument(
      'IndexDocument',
      'null',
      'A value for IndexDocument Suffix must be provided if RedirectAllRequestsTo is empty',
    );
  }
  return {
    redirectAllTo: null,
    indexSuffix: readSuffix(fields.IndexDocument),
    errorKey: fields.ErrorDocument === null ? null : readErrorKey(fields.ErrorDocument),
    routingRules: fields.RoutingRules === null ? [] : readRules(fields.RoutingRules),
  };
}

function readSuffix(index: XmlElement): string {
  const suffix = required(readFields(index, { Suffix: 'one' }).Suffix, 'Suffix');
  if (suffix !== '' && !suffix.includes('/')) return suffix;
  throw invalidArgument('IndexDocument', suffix, 'The IndexDocument Suffix is not well formed');
}

function readErrorKey(error: XmlElement): string {
  const key = required(readFields(error, { Key: 'one' }).Key, 'Key');
  if (key !== '') return key;
  throw invalidArgument('ErrorDocument', key, 'The ErrorDocument Key is not well formed');
}

function readRedirectAll(redirect: XmlElement): WebsiteConfiguration['redirectAllTo'] {
  const { HostName, Protocol } = readFields(redirect, { HostName: 'one', Protocol: 'one' });
  if (HostName === null) throw malformed('HostName is missing.');
  return { hostName: readHostName(HostName), protocol: readProtocol(Protocol) };
}

function readRules(list: XmlElement): readonly RoutingRule[] {
  const rules = readFields(list, { RoutingRule: 'many' }).RoutingRule;
  if (rules.length === 0) throw malformed('RoutingRules is empty.');
  if (rules.length > ROUTING_MAX_RULES) {
    throw invalid(
      `${rules.length} routing rules provided, the number of routing rules in a website ` +
        `configuration is limited to ${ROUTING_MAX_RULES}.`,
    );
  }
  return rules.map(readRule);
}

function readRule(rule: XmlElement): RoutingRule {
  const { Condition, Redirect } = readFields(rule, { Condition: 'one', Redirect: 'one' });
  if (Redirect === null) throw malformed('Redirect is missing.');
  return { ...readCondition(Condition), redirect: readRedirect(Redirect) };
}

function readCondition(condition: XmlElement | null): Pick<RoutingRule, 'keyPrefix' | 'errorCode'> {
  if (condition === null) return { keyPrefix: null, errorCode: null };
  const { KeyPrefixEquals, HttpErrorCodeReturnedEquals } = readFields(condition, CONDITION);
  if (KeyPrefixEquals === null && HttpErrorCodeReturnedEquals === null) {
    throw invalid(
      'Condition cannot be empty. To redirect all requests without a condition, the ' +
        "condition element shouldn't be present.",
    );
  }
  return {
    keyPrefix: optionalText(KeyPrefixEquals),
    errorCode:
      HttpErrorCodeReturnedEquals === null
        ? null
        : readErrorCode(textOf(HttpErrorCodeReturnedEquals).trim()),
  };
}

function readErrorCode(code: string): number {
  if (/^[45]\d\d$/.test(code)) return Number(code);
  throw invalid(`The provided HTTP error code (${code}) is not valid. Valid codes are 4XX or 5XX.`);
}

function readRedirect(redirect: XmlElement): RoutingRedirect {
  const fields = readFields(redirect, REDIRECT);
  if (redirect.children.length === 0) throw malformed('Redirect is empty.');
  if (fields.ReplaceKeyPrefixWith !== null && fields.ReplaceKeyWith !== null) {
    throw invalid('You can only define ReplaceKeyPrefix or ReplaceKey but not both.');
  }
  return {
    hostName: fields.HostName === null ? null : readHostName(fields.HostName),
    protocol: readProtocol(fields.Protocol),
    statusCode:
      fields.HttpRedirectCode === null
        ? null
        : readRedirectCode(textOf(fields.HttpRedirectCode).trim()),
    replaceKeyPrefixWith: optionalText(fields.ReplaceKeyPrefixWith),
    replaceKeyWith: optionalText(fields.ReplaceKeyWith),
  };
}

function readRedirectCode(code: string): number {
  if (REDIRECT_CODES.has(code)) return Number(code);
  throw invalid(
    `The provided HTTP redirect code (${code}) is not valid. Valid codes are 3XX except 300.`,
  );
}

function readHostName(element: XmlElement): string {
  const name = textOf(element).trim();
  if (HOST_NAME.test(name)) return name;
  throw invalidArgument('HostName', name.slice(0, 100), 'The HostName is not well formed');
}

function readProtocol(element: XmlElement | null): RedirectProtocol {
  const protocol = element === null ? null : textOf(element).trim();
  if (protocol === null || protocol === 'http' || protocol === 'https') return protocol;
  throw invalid(
    'Invalid protocol, protocol can be http or https. If not defined the protocol will be ' +
      'selected automatically.',
  );
}

const optionalText = (element: XmlElement | null) => (element === null ? null : textOf(element));

/** The document of GetBucketWebsite. */
export function writeWebsiteConfiguration(website: WebsiteConfiguration): string {
  const { redirectAllTo, indexSuffix, errorKey, routingRules } = website;
  const all =
    redirectAllTo === null ? '' : writeTarget(redirectAllTo.hostName, redirectAllTo.protocol);
  return s3Document(
    'WebsiteConfiguration',
    (all === '' ? '' : element('RedirectAllRequestsTo', all)) +
      (indexSuffix === null ? '' : element('IndexDocument', textElement('Suffix', indexSuffix))) +
      (errorKey === null ? '' : element('ErrorDocument', textElement('Key', errorKey))) +
      (routingRules.length === 0
        ? ''
        : element('RoutingRules', routingRules.map(writeRule).join(''))),
  );
}

function writeTarget(hostName: string | null, protocol: RedirectProtocol): string {
  return textElement('HostName', hostName) + textElement('Protocol', protocol);
}

function writeRule({ keyPrefix, errorCode, redirect }: RoutingRule): string {
  const condition =
    textElement('HttpErrorCodeReturnedEquals', errorCode) +
    textElement('KeyPrefixEquals', keyPrefix);
  const { hostName, protocol, statusCode, replaceKeyPrefixWith, replaceKeyWith } = redirect;
  return element(
    'RoutingRule',
    (condition === '' ? '' : element('Condition', condition)) +
      element(
        'Redirect',
        textElement('HostName', hostName) +
          textElement('HttpRedirectCode', statusCode) +
          textElement('Protocol', protocol) +
          textElement('ReplaceKeyPrefixWith', replaceKeyPrefixWith) +
          textElement('ReplaceKeyWith', replaceKeyWith),
      ),
  );
}
