import { describe, expect, it } from 'vitest';
import { SERVED_KEYS } from '../../../src/core/auth/policy/condition-keys.ts';
import { conditionKey } from '../../../src/core/auth/policy/pattern.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import type { AccessKeyId, AccountId, BucketName, Principal } from '../../../src/domain/nouns.ts';
import {
  type ConditionSource,
  type ConditionSubject,
  conditionValues,
} from '../../../src/http/access/condition-values.ts';
import { parseQuery } from '../../../src/http/semantics/raw-path.ts';
import { makeRequest } from '../s3/kit/make-request.ts';

const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const ANYBODY: Principal = { kind: 'anonymous' };
const BOB: Principal = {
  kind: 'account',
  accessKeyId: 'KEY' as AccessKeyId,
  account: { id: 'bob' as AccountId, displayName: 'Bob' },
};
const RECORD = { name: 'b' as BucketName, ownerId: 'alice' as AccountId, access: PRIVATE_ACCESS };
const NOTHING: ConditionSubject = { record: RECORD, existingTags: null, change: {}, prefix: null };

function sourceOf(
  headers: Record<string, string>,
  query = '',
  source: Partial<ConditionSource> = {},
): ConditionSource {
  const request = {
    ...makeRequest({ target: `/b/k?${query}`, headers }),
    remoteAddress: '203.0.113.9',
    isSecure: true,
    tls: () => ({ version: '1.3', cipher: null }),
  };
  return {
    request,
    operation: 'PutObject',
    query: parseQuery(query),
    principal: BOB,
    region: 'auto',
    nowMs: NOW_MS,
    authType: 'REST-HEADER',
    signatureVersion: 'AWS4-HMAC-SHA256',
    signedAtMs: NOW_MS - 2500,
    requestTags: () => null,
    header: request.header,
    ...source,
  };
}

const read = (key: string, source: ConditionSource, subject: Partial<ConditionSubject> = {}) =>
  conditionValues(source, { ...NOTHING, ...subject }, conditionKey(key));

describe('a signature of Version 2', () => {
  it('is named, and older than any bound, since it does not tell its age', () => {
    const source = sourceOf({}, '', { signatureVersion: 'AWS', signedAtMs: null });
    expect(read('s3:signatureversion', source)).toEqual(['AWS']);
    expect(Number(read('s3:signatureAge', source)?.[0])).toBeGreaterThan(100 * 365 * 86_400_000);
  });
});

describe('condition keys', () => {
  it.each<[string, string, Record<string, string>, string?]>([
    ['aws:CurrentTime', '2026-11-20T12:00:00.000Z', {}],
    ['aws:EpochTime', `${NOW_MS / 1000}`, {}],
    ['aws:PrincipalAccount', 'bob', {}],
    ['aws:PrincipalArn', 'arn:aws:iam::bob:root', {}],
    ['aws:PrincipalIsAWSService', 'false', {}],
    ['aws:PrincipalType', 'Account', {}],
    ['aws:Referer', 'https://a.example/', { referer: 'https://a.example/' }],
    ['aws:RequestedRegion', 'auto', {}],
    ['aws:ResourceAccount', 'alice', {}],
    ['aws:SecureTransport', 'true', {}],
    ['aws:SourceIp', '203.0.113.9', {}],
    ['aws:UserAgent', 'curl/8', { 'user-agent': 'curl/8' }],
    ['aws:ViaAWSService', 'false', {}],
    ['aws:userid', 'bob', {}],
    ['s3:ObjectCreationOperation', 'true', {}],
    ['s3:ResourceAccount', 'alice', {}],
    ['s3:TlsVersion', '1.3', {}],
    ['s3:VersionId', 'v1', {}, 'versionId=v1'],
    ['s3:authType', 'REST-HEADER', {}],
    ['s3:delimiter', '/', {}, 'delimiter=%2F'],
    ['s3:if-match', '"e"', { 'if-match': '"e"' }],
    ['s3:if-none-match', '*', { 'if-none-match': '*' }],
    ['s3:max-keys', '10', {}, 'max-keys=10'],
    ['s3:object-lock-legal-hold', 'ON', { 'x-amz-object-lock-legal-hold': 'ON' }],
    ['s3:object-lock-mode', 'GOVERNANCE', { 'x-amz-object-lock-mode': 'GOVERNANCE' }],
    [
      's3:object-lock-remaining-retention-days',
      '3',
      { 'x-amz-object-lock-retain-until-date': '2026-11-22T18:00:00Z' },
    ],
    [
      's3:object-lock-retain-until-date',
      '2026-11-22T18:00:00Z',
      { 'x-amz-object-lock-retain-until-date': '2026-11-22T18:00:00Z' },
    ],
    ['s3:prefix', 'a b', {}, 'prefix=a%20b'],
    ['s3:signatureAge', '2500', {}],
    ['s3:signatureversion', 'AWS4-HMAC-SHA256', {}],
    ['s3:x-amz-acl', 'public-read', { 'x-amz-acl': 'public-read' }],
    ['s3:x-amz-content-sha256', 'UNSIGNED-PAYLOAD', { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }],
    ['s3:x-amz-copy-source', 'src/a b', { 'x-amz-copy-source': '/src/a%20b' }],
    ['s3:x-amz-copy-source', 'src/a b+', { 'x-amz-copy-source': '/src/a+b%2B' }],
    ['s3:x-amz-grant-full-control', 'id=1', { 'x-amz-grant-full-control': 'id=1' }],
    ['s3:x-amz-grant-read', 'id=1', { 'x-amz-grant-read': 'id=1' }],
    ['s3:x-amz-grant-read-acp', 'id=1', { 'x-amz-grant-read-acp': 'id=1' }],
    ['s3:x-amz-grant-write', 'id=1', { 'x-amz-grant-write': 'id=1' }],
    ['s3:x-amz-grant-write-acp', 'id=1', { 'x-amz-grant-write-acp': 'id=1' }],
    ['s3:x-amz-metadata-directive', 'COPY', { 'x-amz-metadata-directive': 'COPY' }],
    ['s3:x-amz-object-ownership', 'ObjectWriter', { 'x-amz-object-ownership': 'ObjectWriter' }],
    ['s3:x-amz-server-side-encryption', 'AES256', { 'x-amz-server-side-encryption': 'AES256' }],
    [
      's3:x-amz-server-side-encryption-aws-kms-key-id',
      'k',
      { 'x-amz-server-side-encryption-aws-kms-key-id': 'k' },
    ],
    [
      's3:x-amz-server-side-encryption-customer-algorithm',
      'AES256',
      { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' },
    ],
    ['s3:x-amz-storage-class', 'STANDARD', { 'x-amz-storage-class': 'STANDARD' }],
    ['s3:x-amz-website-redirect-location', '/a', { 'x-amz-website-redirect-location': '/a' }],
  ])('%s is %s', (key, value, headers, query) => {
    expect(read(key, sourceOf(headers, query))).toEqual([value]);
    expect(read(key.toUpperCase(), sourceOf(headers, query))).toEqual([value]);
  });

  it('all have a value in some request', () => {
    const headers = new Proxy({} as Record<string, string>, { get: () => '2026-11-22T18:00:00Z' });
    const source = {
      ...sourceOf({}, '', { requestTags: () => ({ a: 'b' }) }),
      header: (name: string) => headers[name] ?? null,
      query: { get: () => 'x', has: () => true, entries: [] },
    };
    const request = { ...source.request, header: source.header };
    for (const key of SERVED_KEYS) expect(read(key, { ...source, request }), key).not.toBeNull();
  });

  it.each(['aws:SourceVpc', 'aws:username', 'aws:PrincipalTag/a', 's3:nonsense'])(
    '%s has none',
    (key) => {
      expect(read(key, sourceOf({}))).toBeNull();
    },
  );

  it.each([
    ['CopyObject', 'true'],
    ['PostObject', 'true'],
    ['CompleteMultipartUpload', 'true'],
    ['CreateMultipartUpload', 'false'],
    ['UploadPart', 'false'],
    ['UploadPartCopy', 'false'],
    ['GetObject', null],
    ['AbortMultipartUpload', null],
  ])('tell whether %s makes an object', (operation, value) => {
    const source = sourceOf({}, '', { operation });
    expect(read('s3:ObjectCreationOperation', source)).toEqual(value === null ? null : [value]);
  });

  it('have no TLS version without TLS, or where nobody knows it', () => {
    const { tls: _, ...plain } = makeRequest({ target: '/b/k' });
    for (const request of [plain, { ...plain, tls: () => null }]) {
      expect(read('s3:TlsVersion', sourceOf({}, '', { request }))).toBeNull();
    }
  });

  it('of who did not sign say so', () => {
    const source = sourceOf({}, '', {
      ...{ principal: ANYBODY, authType: null, signatureVersion: null, signedAtMs: null },
    });
    expect(read('aws:PrincipalType', source)).toEqual(['Anonymous']);
    expect(read('aws:userid', source)).toEqual(['anonymous']);
    for (const key of [
      'aws:PrincipalAccount',
      'aws:PrincipalArn',
      's3:authType',
      's3:signatureAge',
    ]) {
      expect(read(key, source), key).toBeNull();
    }
    expect(read('s3:signatureversion', source)).toBeNull();
  });

  it('of tags come from the object, from the headers, and from the document first of all', () => {
    const source = sourceOf({}, '', { requestTags: () => ({ team: 'red', Team: 'blue' }) });
    expect(read('s3:RequestObjectTag/team', source)).toEqual(['red']);
    expect(read('s3:RequestObjectTag/TEAM', source)).toBeNull();
    expect(read('s3:RequestObjectTagKeys', source)).toEqual(['team', 'Team']);
    const change = { tags: { other: 'x' } };
    expect(read('s3:RequestObjectTagKeys', source, { change })).toEqual(['other']);
    expect(read('s3:RequestObjectTag/team', source, { change })).toBeNull();
    expect(read('s3:ExistingObjectTag/a', source, { existingTags: { a: '1' } })).toEqual(['1']);
    expect(
      read('s3:ExistingObjectTag/constructor', source, { existingTags: { a: '1' } }),
    ).toBeNull();
    expect(read('s3:RequestObjectTagKeys', sourceOf({}))).toEqual([]);
  });

  it('of locks come from the document where there is one', () => {
    const source = sourceOf({ 'x-amz-object-lock-mode': 'GOVERNANCE' });
    const retention = { mode: 'COMPLIANCE', untilMs: NOW_MS + 10 * 86_400_000 } as const;
    const locked = { change: { retention } };
    expect(read('s3:object-lock-mode', source, locked)).toEqual(['COMPLIANCE']);
    expect(read('s3:object-lock-remaining-retention-days', source, locked)).toEqual(['10']);
    expect(read('s3:object-lock-retain-until-date', source, locked)).toEqual([
      '2026-11-30T12:00:00.000Z',
    ]);
    expect(read('s3:object-lock-mode', source, { change: { retention: null } })).toBeNull();
    expect(read('s3:object-lock-legal-hold', source, { change: { hasLegalHold: false } })).toEqual([
      'OFF',
    ]);
  });

  it('survive a source that is no path, and take the prefix they are given', () => {
    expect(read('s3:x-amz-copy-source', sourceOf({ 'x-amz-copy-source': '/b/%zz' }))).toEqual([
      'b/%zz',
    ]);
    expect(read('s3:prefix', sourceOf({}, 'prefix=a'), { prefix: 'b' })).toEqual(['b']);
  });
});
