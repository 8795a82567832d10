import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../src/http/address.ts';

const DOMAINS = { baseDomain: 'storage.example', websiteDomain: 'web.storage.example' };
const NONE = { baseDomain: null, websiteDomain: null };

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
    expect(parseAddress(path, '127.0.0.1:9000', DOMAINS)).toEqual(expected);
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
    expect(parseAddress(path, host, DOMAINS)).toEqual(expected);
  });

  it('is off without a base domain', () => {
    expect(parseAddress('/b/k', 'photos.storage.example', NONE)).toEqual(bucket('b', 'k'));
  });
});

describe('websites', () => {
  it.each([
    ['/', 'photos.web.storage.example', 'photos', ''],
    ['/docs/', 'Photos.Web.Storage.example:8443', 'photos', 'docs/'],
    ['//a', 'a.b.web.storage.example', 'a.b', '/a'],
    ['/-/health', 'photos.web.storage.example', 'photos', '-/health'],
  ])('%s at %s', (path, host, rawBucket, rawKey) => {
    expect(parseAddress(path, host, DOMAINS)).toEqual({ kind: 'website', rawBucket, rawKey });
  });

  it('need a bucket before the domain, and the domain', () => {
    expect(parseAddress('/k', 'web.storage.example', DOMAINS)).toEqual(bucket('web', 'k', true));
    expect(parseAddress('/b/k', 'photos.web.storage.example', NONE)).toEqual(bucket('b', 'k'));
  });
});
