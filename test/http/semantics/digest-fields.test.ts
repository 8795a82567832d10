import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Checksum } from '../../../src/domain/nouns.ts';
import { type DigestSource, digestHeaders } from '../../../src/http/semantics/digest-fields.ts';

const BODY = new TextEncoder().encode('{"hello": "world"}');
const digest = (algorithm: string, encoding: 'hex' | 'base64') =>
  createHash(algorithm).update(BODY).digest(encoding);
const MD5 = digest('md5', 'base64');
const SHA256 = digest('sha256', 'base64');

const STORED: DigestSource = {
  etag: digest('md5', 'hex'),
  checksum: null,
  encryption: null,
  inlineBytes: null,
};
const checksum = (
  algorithm: Checksum['algorithm'],
  value: string,
  type: Checksum['type'] = 'FULL_OBJECT',
) => ({
  ...STORED,
  checksum: { algorithm, type, value },
});

function ask(
  headers: Readonly<Record<string, string>>,
  source: DigestSource = STORED,
  isWhole = true,
) {
  return digestHeaders({ header: (name) => headers[name] ?? null }, source, isWhole);
}

describe('digests', () => {
  it('come only when asked for', () => {
    expect(ask({})).toBeNull();
    expect(ask({ digest: 'x' })).toBeNull();
  });

  it('of a body in memory are computed', () => {
    const source = { ...STORED, inlineBytes: BODY };
    expect(ask({ 'want-repr-digest': 'sha-256=1' }, source)).toEqual({
      'repr-digest': `sha-256=:${SHA256}:`,
    });
    expect(
      ask({ 'want-repr-digest': 'sha-256=1' }, { ...STORED, inlineBytes: new Uint8Array(65_537) }),
    ).toEqual({});
  });

  it.each([
    ['SHA256', 'sha-256'],
    ['SHA1', 'sha'],
    ['CRC32C', 'crc32c'],
  ] as const)('are the stored %s', (algorithm, name) => {
    const source = checksum(algorithm, 'c3RvcmVk');
    expect(ask({ 'want-repr-digest': `${name}=5` }, source)).toEqual({
      'repr-digest': `${name}=:c3RvcmVk:`,
    });
  });

  it('are never those of parts, nor of another algorithm', () => {
    const want = { 'want-repr-digest': 'sha-256=5, sha=5, crc32c=5, sha-512=5, unixsum=5, *=3' };
    expect(ask(want, checksum('SHA256', 'eA==-2', 'COMPOSITE'))).toEqual({});
    expect(ask(want, checksum('CRC64NVME', 'c3RvcmVk'))).toEqual({});
  });

  it('take the MD5 from the etag, where it is one', () => {
    const want = { 'want-repr-digest': 'md5=1' };
    expect(ask(want)).toEqual({ 'repr-digest': `md5=:${MD5}:` });
    expect(ask(want, { ...STORED, etag: `${STORED.etag}-2` })).toEqual({});
    expect(ask(want, { ...STORED, encryption: { kind: 'customer', wrappedKey: 'x' } })).toEqual({});
    expect(ask(want, { ...STORED, encryption: { kind: 'server', wrappedKey: 'x' } })).toEqual(
      ask(want),
    );
  });

  it('are not computed over encrypted bytes', () => {
    const small = { ...STORED, checksum: null, inlineBytes: new Uint8Array(20) };
    const want = { 'want-repr-digest': 'sha-256=1' };
    expect(ask(want, small)).not.toEqual({});
    expect(ask(want, { ...small, encryption: { kind: 'server', wrappedKey: 'x' } })).toEqual({});
  });

  it('of the content are those of the whole, and of nothing less', () => {
    const want = { 'want-content-digest': 'md5=1', 'want-repr-digest': 'md5=1' };
    expect(ask(want)).toEqual({ 'content-digest': `md5=:${MD5}:`, 'repr-digest': `md5=:${MD5}:` });
    expect(ask(want, STORED, false)).toEqual({ 'repr-digest': `md5=:${MD5}:` });
  });

  it.each([
    ['md5=3, sha-256=1', 'md5'],
    ['md5=1, sha-256=3', 'sha-256'],
    ['md5=1,sha-256=1', 'sha-256'],
    ['sha-256=0, md5=1', 'md5'],
    ['unknown=10, md5=1;x=y', 'md5'],
    ['md5=0', null],
    ['', null],
    ['md5', null],
    ['md5=11', null],
    ['md5=-1', null],
    ['md5=1, sha-256="a"', null],
    [`md5=1${' '.repeat(600)}, sha=1`, null],
  ])('are what is wanted most: %s', (want, name) => {
    const reply = ask({ 'want-repr-digest': want }, checksum('SHA256', SHA256));
    expect(reply?.['repr-digest']?.split('=')[0] ?? null).toBe(name);
  });

  it.each([
    ['md5', `MD5=${MD5}`],
    ['MD5;q=0.3, SHA-256;q=1', `SHA-256=${SHA256}`],
    ['sha-256 ; q=0.1,md5;q=0.2', `MD5=${MD5}`],
    ['sha-256;q=0', undefined],
    ['crc32c', undefined],
    ['md5;q=x', undefined],
  ])('have an older form: %s', (want, header) => {
    expect(ask({ 'want-digest': want }, checksum('SHA256', SHA256))?.digest).toBe(header);
  });
});
