import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../src/http/address.ts';

const bucket = (rawBucket: string, rawKey: string | null, isVirtualHost = false) => ({
  kind: 'bucket',
  rawBucket,
  rawKey,
  isVirtualHost,
});

describe('path-style addresses', () => {
  it.each([
    ['/', { kind: 'service' }],
    ['/b', bucket('b', null)],
    ['/b/', bucket('b', null)],
    ['/b/k', bucket('b', 'k')],
    ['/b//', bucket('b', '/')],
    ['/b//k', bucket('b', '/k')],
    ['/b/k/', bucket('b', 'k/')],
    ['/b/..', bucket('b', '..')],
    ['/b/./k%2F+', bucket('b', './k%2F+')],
    ['/-/health', { kind: 'system', path: '/health' }],
    ['/-/', { kind: 'system', path: '/' }],
    ['/-', bucket('-', null)],
    ['/-x/k', bucket('-x', 'k')],
  ])('%s', (path, expected) => {
    expect(parseAddress(path, '127.0.0.1:9000', 'storage.example')).toEqual(expected);
  });
});

describe('virtual-hosted addresses', () => {
  it.each([
    ['photos.storage.example', '/', bucket('photos', null, true)],
    ['photos.storage.example:9000', '/k', bucket('photos', 'k', true)],
    ['PHOTOS.Storage.Example', '/-/k', bucket('photos', '-/k', true)],
    ['a.b.storage.example', '//', bucket('a.b', '/', true)],
    ['storage.example', '/b/k', bucket('b', 'k')],
    ['.storage.example', '/b/k', bucket('b', 'k')],
    ['notstorage.example', '/b/k', bucket('b', 'k')],
    ['[::1]:9000', '/b/k', bucket('b', 'k')],
  ])('%s%s', (host, path, expected) => {
    expect(parseAddress(path, host, 'storage.example')).toEqual(expected);
  });

  it('is off without a base domain', () => {
    expect(parseAddress('/b/k', 'photos.storage.example', null)).toEqual(bucket('b', 'k'));
  });
});
