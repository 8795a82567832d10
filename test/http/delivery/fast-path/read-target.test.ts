import { describe, expect, it } from 'vitest';
import { createTargetReader } from '../../../../src/http/delivery/fast-path/read-target.ts';
import type { HostBinding } from '../../../../src/ports/directory.ts';

const DOMAINS = {
  baseDomain: 'storage.example',
  websiteDomain: 'web.example',
  ownHosts: ['storage.example', 'web.example'],
};
const binding = (prefix: string) =>
  ({ host: 'www.shop.example', bucket: 'shop', bucketId: 'shop~1', prefix }) as HostBinding;
const read = (host: string, rawPath: string) => ({
  isHead: false,
  rawPath,
  host,
  ifNoneMatch: null,
  range: null,
  header: () => null,
});

describe('a place', () => {
  it('is an object, or a path of a site, by the host', () => {
    const placeOf = createTargetReader(DOMAINS, (name) =>
      name === 'www.shop.example' ? binding('a/') : null,
    );
    for (const _ of [1, 2]) {
      expect(placeOf(read('h', '/pub/a%20b'))).toMatchObject({
        bucket: 'pub',
        key: 'a b',
        site: null,
        isOwnHost: false,
      });
      expect(placeOf(read('other.example', '/pub/k'))).toMatchObject({
        bucket: 'pub',
        key: 'k',
        isOwnHost: false,
      });
      expect(placeOf(read('pub.storage.example', '/k'))).toMatchObject({
        bucket: 'pub',
        key: 'k',
        isOwnHost: true,
      });
      expect(placeOf(read('pub.web.example', '/k/'))?.site).toMatchObject({
        path: 'k/',
        keys: ['k/index.html'],
      });
      expect(placeOf(read('www.shop.example:80', '/k'))?.site).toMatchObject({
        keys: ['a/k.html', 'a/k'],
      });
      for (const rawPath of [
        '/',
        '/pub',
        '/pub/',
        '/-/health',
        '/P/k',
        '/pub/%',
        `/pub/${'k'.repeat(1025)}`,
      ]) {
        expect(placeOf(read('h', rawPath)), rawPath).toBe(null);
      }
    }
  });

  it('is remembered, until its host means something else', () => {
    let bound: HostBinding | null | undefined = null;
    const placeOf = createTargetReader(DOMAINS, () => bound);
    const at = () => placeOf(read('www.shop.example', '/shop/k.js'));
    const object = at();
    expect([object?.key, at() === object]).toEqual(['k.js', true]);
    bound = binding('');
    const page = at();
    expect(page?.site?.keys).toEqual(['shop/k.js']);
    expect(at()).toBe(page);
    bound = binding('site/');
    expect(at()?.site?.keys).toEqual(['site/shop/k.js']);
    bound = undefined;
    expect(at()).toBe(null);
    bound = null;
    expect(at()?.site).toBe(null);
  });

  it('stays right when there are more than can be remembered, at one host and at many', () => {
    const placeOf = createTargetReader(DOMAINS, () => null);
    for (let i = 0; i < 10_000; i++) {
      expect(placeOf(read(`site${i % 1500}.web.example`, `/k${i}`))?.site?.path).toBe(`k${i}`);
      expect(placeOf(read('h', `/pub/k${i}`))?.key).toBe(`k${i}`);
    }
  });
});
