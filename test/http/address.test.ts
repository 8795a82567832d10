import { describe, expect, it } from 'vitest';
import type { BucketId, BucketName } from '../../src/domain/nouns.ts';
import { createAddressReader, type Domains } from '../../src/http/address.ts';
import type { HostBinding } from '../../src/ports/directory.ts';

const DOMAINS = {
  baseDomain: 'storage.example',
  websiteDomain: 'web.storage.example',
  ownHosts: ['storage.example'],
};
const NONE = { baseDomain: null, websiteDomain: null, ownHosts: [] };

const BINDING: HostBinding = {
  host: 'www.shop.example',
  bucket: 'shop' as BucketName,
  bucketId: 'shop~1' as BucketId,
  prefix: 'site/',
};

function parseAddress(rawPath: string, host: string, domains: Domains) {
  return createAddressReader(domains, (name) => (name === BINDING.host ? BINDING : null))(
    rawPath,
    host,
  );
}

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
  ])('name what %s is of', (path, expected) => {
    expect(parseAddress(path, '127.0.0.1:9000', DOMAINS)).toEqual(expected);
  });
});

describe('links', () => {
  const ID = 'AAAAAAAAAAAAAAAAAAAAA_';
  const link = (linkKind: string, rawName: string, rawPath: string | null = null) => ({
    kind: 'link',
    linkKind,
    rawName,
    rawPath,
    binding: null,
  });

  it.each([
    [`/-/s/${ID}`, link('share', ID)],
    [`/-/s/${ID}/`, link('share', ID, '')],
    [`/-/s/${ID}~12345678/a%20b//c`, link('share', `${ID}~12345678`, 'a%20b//c')],
    [`/-/d/${ID}/x`, link('drop', ID, 'x')],
    ['/-/link-files/style-a1.css', link('file', 'style-a1.css')],
    ['/-/s/', link('share', '')],
    ['/-/s', { kind: 'system', path: '/s' }],
  ])('are what %s is', (path, expected) => {
    expect(parseAddress(path, '127.0.0.1:9000', DOMAINS)).toEqual(expected);
  });

  it('are at bound hosts where their names can be, and nowhere at the hosts of keys', () => {
    expect(parseAddress(`/-/s/${ID}/a`, BINDING.host, DOMAINS)).toEqual({
      ...link('share', ID, 'a'),
      binding: BINDING,
    });
    expect(parseAddress('/-/link-files/style-a1.css', BINDING.host, DOMAINS)).toMatchObject({
      ...link('file', 'style-a1.css'),
      binding: BINDING,
    });
    expect(parseAddress('/-/s/index.html', BINDING.host, DOMAINS)).toMatchObject({
      kind: 'site',
      rawPath: '-/s/index.html',
    });
    expect(parseAddress(`/-/s/${ID}`, 'photos.storage.example', DOMAINS)).toEqual(
      bucket('photos', `-/s/${ID}`, true),
    );
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
    expect(parseAddress(path, host, DOMAINS)).toEqual({
      kind: 'site',
      rawBucket,
      rawPath: rawKey,
      binding: null,
    });
  });

  it('need a bucket before the domain, and the domain', () => {
    expect(parseAddress('/k', 'web.storage.example', DOMAINS)).toEqual(bucket('web', 'k', true));
    expect(parseAddress('/b/k', 'photos.web.storage.example', NONE)).toEqual(bucket('b', 'k'));
  });
});

describe('bound hosts', () => {
  it.each([
    ['/', 'www.shop.example', ''],
    ['/-/health', 'WWW.Shop.Example:8443', '-/health'],
    ['//a', 'www.shop.example.', '/a'],
  ])('%s at %s', (path, host, rawPath) => {
    expect(parseAddress(path, host, DOMAINS)).toEqual({
      kind: 'site',
      rawBucket: 'shop',
      rawPath,
      binding: BINDING,
    });
  });

  it('are others than those that only look like one', () => {
    for (const host of ['shop.example', 'a.www.shop.example', 'www.shop.example.evil']) {
      expect(parseAddress('/b/k', host, DOMAINS)).toEqual(bucket('b', 'k'));
    }
  });

  it('are not looked for where none can be', async () => {
    const asked: string[] = [];
    const read = createAddressReader(
      { ...DOMAINS, ownHosts: ['storage.example', 's3.internal.example'] },
      (name) => {
        asked.push(name);
        return null;
      },
    );
    for (const host of [
      '127.0.0.1:9000',
      '[::1]:9000',
      'localhost:9000',
      'a.localhost',
      'server',
      '',
      'storage.example',
      'photos.storage.example',
      's3.internal.example',
      'eu.s3.internal.example',
      'quayside.me.workers.dev',
      'a..b',
      '-a.example',
      `${'a'.repeat(64)}.example`,
      `${'a.'.repeat(130)}example`,
    ]) {
      await read('/b/k', host);
    }
    expect(asked).toEqual([]);
    for (const _ of [1, 2]) await read('/b/k', 'Any.Other.example:80');
    expect(asked).toEqual(['any.other.example', 'any.other.example']);
  });

  it('are waited for where memory does not know', async () => {
    const read = createAddressReader(NONE, async () => BINDING);
    expect(await read('/k', BINDING.host)).toEqual({
      kind: 'site',
      rawBucket: 'shop',
      rawPath: 'k',
      binding: BINDING,
    });
    const failing = createAddressReader(NONE, () => Promise.reject(new Error('no directory')));
    await expect(failing('/k', BINDING.host)).rejects.toThrow('no directory');
  });
});
