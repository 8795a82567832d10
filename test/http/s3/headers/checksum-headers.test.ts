import { describe, expect, it } from 'vitest';
import { checksumElement } from '../../../../src/http/s3/formats/checksum-names.ts';
import {
  checksumHeaders,
  readBodyExpectation,
  readChecksumAlgorithm,
  readChecksumType,
  readContentMd5,
  readObjectChecksum,
} from '../../../../src/http/s3/headers/checksum-headers.ts';
import { failing } from '../kit/responses.ts';

const lookup = (headers: Record<string, string>) => (name: string) => headers[name] ?? null;
const trailers = (values: Record<string, string | null>) => ({
  trailerNames: Object.keys(values),
  trailer: (name: string) => values[name] ?? null,
});
const NO_TRAILERS = trailers({});
const read = (headers: Record<string, string>, sent = NO_TRAILERS) =>
  readBodyExpectation(lookup(headers), sent);

const VALUES = {
  CRC32: 'NSRBwg==',
  CRC32C: 'yZRlqg==',
  CRC64NVME: 'rosUhgp5mIg=',
  SHA1: '2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
  SHA256: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
} as const;
const CASES = Object.entries(VALUES) as [keyof typeof VALUES, string][];

describe('Content-MD5', () => {
  it('becomes hex', () => {
    expect(readContentMd5(lookup({ 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' }))).toBe(
      'd41d8cd98f00b204e9800998ecf8427e',
    );
    expect(readContentMd5(lookup({}))).toBeNull();
  });

  it.each([
    '',
    ' ',
    'YWJyYWNhZGFicmE=',
    '1B2M2Y8AsgTpgAmY7PhCfg',
    '1B2M2Y8AsgTpgAmY7PhCf===',
    'd41d8cd98f00b204e9800998ecf8427e',
    '1B2M2Y8AsgTpgAmY7PhC-g==',
  ])('is refused as %j', (value) => {
    expect(() => readContentMd5(lookup({ 'content-md5': value }))).toThrow(
      failing('InvalidDigest'),
    );
  });
});

describe('the checksum of a body', () => {
  it('is none when nobody speaks of one', () => {
    expect(read({})).toEqual({ contentMd5Hex: null, checksum: null });
  });

  it.each(CASES)('%s as a header', (algorithm, value) => {
    const name = `x-amz-checksum-${algorithm.toLowerCase()}`;
    const { checksum } = read({ [name]: value });
    expect(checksum?.algorithm).toBe(algorithm);
    expect(checksum?.expected()).toBe(value);
    expect(
      read({
        [name]: value,
        'x-amz-sdk-checksum-algorithm': algorithm.toLowerCase(),
      }).checksum?.expected(),
    ).toBe(value);
    for (const bad of [value.slice(1), 'bad', '', ` ${value}`, `${value}-1`]) {
      expect(() => read({ [name]: bad })).toThrow(failing('BadDigest'));
    }
  });

  it.each(CASES)('%s as a trailer, asked for only at the end', (algorithm, value) => {
    const name = `x-amz-checksum-${algorithm.toLowerCase()}`;
    let isOver = false;
    const late = {
      trailerNames: [name],
      trailer() {
        if (!isOver) throw new Error('asked too early');
        return ` ${value}`;
      },
    };
    const { checksum } = read({ 'x-amz-sdk-checksum-algorithm': algorithm }, late);
    isOver = true;
    expect(checksum?.algorithm).toBe(algorithm);
    expect(checksum?.expected()).toBe(value);
  });

  it('fails at the end when the trailer did not come or is none', () => {
    expect(() => read({}, trailers({ 'x-amz-checksum-crc32': null })).checksum?.expected()).toThrow(
      failing('InvalidRequest'),
    );
    expect(() =>
      read({}, trailers({ 'x-amz-checksum-crc32': 'bad' })).checksum?.expected(),
    ).toThrow(failing('BadDigest'));
  });

  it.each([
    [
      'two headers',
      { 'x-amz-checksum-crc32': VALUES.CRC32, 'x-amz-checksum-sha1': VALUES.SHA1 },
      {},
    ],
    [
      'header and trailer',
      { 'x-amz-checksum-crc32': VALUES.CRC32 },
      { 'x-amz-checksum-crc32': VALUES.CRC32 },
    ],
    [
      'two trailers',
      {},
      { 'x-amz-checksum-crc32': VALUES.CRC32, 'x-amz-checksum-sha1': VALUES.SHA1 },
    ],
    ['an algorithm without a value', { 'x-amz-sdk-checksum-algorithm': 'CRC32' }, {}],
    ['an algorithm that nobody knows', { 'x-amz-sdk-checksum-algorithm': 'CRC16' }, {}],
    [
      'another algorithm',
      { 'x-amz-sdk-checksum-algorithm': 'SHA1', 'x-amz-checksum-crc32': VALUES.CRC32 },
      {},
    ],
    ['a trailer that is no checksum', {}, { 'x-amz-meta-a': 'b' }],
    ['a trailer of a checksum that nobody knows', {}, { 'x-amz-checksum-type': 'FULL_OBJECT' }],
  ])('is refused with %s', (_, headers, sent) => {
    expect(() => read(headers as Record<string, string>, trailers(sent))).toThrow(
      failing('InvalidRequest'),
    );
  });

  it.each(['md5', 'sha512', 'xxhash3', 'xxhash64', 'xxhash128'])(
    '%s is not implemented, by name',
    (name) => {
      const header = `x-amz-checksum-${name}`;
      expect(() => read({ [header]: 'x' })).toThrow(failing('NotImplemented'));
      expect(() => read({ [header]: 'x' })).toThrow(new RegExp(header));
      expect(() => read({}, trailers({ [header]: 'x' }))).toThrow(failing('NotImplemented'));
      expect(() => read({ 'x-amz-sdk-checksum-algorithm': name.toUpperCase() })).toThrow(
        failing('NotImplemented'),
      );
    },
  );
});

describe('the checksum of a multipart object', () => {
  it('is taken as sent, composite or not', () => {
    expect(readObjectChecksum(lookup({ 'x-amz-checksum-sha256': 'bad' }))).toEqual({
      algorithm: 'SHA256',
      value: 'bad',
    });
    const value = `${VALUES.SHA1}-3`;
    expect(readObjectChecksum(lookup({ 'x-amz-checksum-sha1': value }))).toEqual({
      algorithm: 'SHA1',
      value,
    });
    expect(readObjectChecksum(lookup({}))).toBeNull();
  });

  it('has an algorithm and a type', () => {
    expect(readChecksumAlgorithm(lookup({ 'x-amz-checksum-algorithm': 'crc64nvme' }))).toBe(
      'CRC64NVME',
    );
    expect(readChecksumAlgorithm(lookup({}))).toBeNull();
    expect(() => readChecksumAlgorithm(lookup({ 'x-amz-checksum-algorithm': '' }))).toThrow(
      failing('InvalidRequest'),
    );
    expect(readChecksumType(lookup({ 'x-amz-checksum-type': 'full_object' }))).toBe('FULL_OBJECT');
    expect(readChecksumType(lookup({}))).toBeNull();
    expect(() => readChecksumType(lookup({ 'x-amz-checksum-type': 'HALF' }))).toThrow(
      failing('InvalidRequest'),
    );
  });
});

it('a checksum goes out as a header or an element', () => {
  const checksum = { algorithm: 'CRC32', value: VALUES.CRC32 } as const;
  expect(checksumHeaders(checksum, 'FULL_OBJECT')).toEqual({
    'x-amz-checksum-crc32': VALUES.CRC32,
    'x-amz-checksum-type': 'FULL_OBJECT',
  });
  expect(checksumHeaders(checksum, null)).toEqual({ 'x-amz-checksum-crc32': VALUES.CRC32 });
  expect(checksumHeaders(null, 'FULL_OBJECT')).toEqual({});
  expect(checksumElement(checksum)).toBe(`<ChecksumCRC32>${VALUES.CRC32}</ChecksumCRC32>`);
  expect(checksumElement(null)).toBe('');
});
