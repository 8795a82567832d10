// The parser of hosting settings.
import { describe, expect, it } from 'vitest';
import { HOSTING_DEFAULTS, readHosting } from '../../../src/core/hosting/read-hosting.ts';

const read = (document: unknown, ownHosts: readonly string[] = []) =>
  readHosting(
    new TextEncoder().encode(typeof document === 'string' ? document : JSON.stringify(document)),
    ownHosts,
  );

describe('hosting settings', () => {
  it('can be empty', () => {
    expect(read({})).toEqual(HOSTING_DEFAULTS);
  });

  it('are kept as they are written, the rest is filled in', () => {
    const given = {
      indexDocument: 'home.htm',
      errorDocument: null,
      cleanUrls: false,
      trailingSlash: 'never',
      spaFallback: true,
      ruleFiles: false,
      cacheControlRules: [{ match: '/assets/**', cacheControl: 'public, max-age=60' }],
      compression: false,
      images: { sizes: [320, 640], maxSize: 640 },
      immutableHashedNames: false,
      directoryListing: true,
      hotlink: {
        allowedHosts: ['example.com', '*.example.org'],
        allowEmptyReferer: false,
        match: ['*.jpg'],
      },
      securityHeaders: 'strict',
      robots: 'disallow',
      domains: [{ host: 'www.example.com', prefix: 'site/' }],
    };
    expect(read(given)).toEqual(given);
    expect(read({ hotlink: {} }).hotlink).toEqual({
      allowedHosts: [],
      allowEmptyReferer: true,
      match: ['/**'],
    });
    expect(read({ domains: [{ host: 'a.example' }] }).domains).toEqual([
      { host: 'a.example', prefix: '' },
    ]);
    expect(read({ errorDocument: '/errors/404.html' }).errorDocument).toBe('errors/404.html');
  });

  const table: [name: string, document: unknown, message: string][] = [
    ['no JSON', '{', 'must be JSON'],
    ['no UTF-8 object', '[]', 'hosting must be an object'],
    ['null', null, 'hosting must be an object'],
    [
      'an unknown name',
      { cleanUrl: true },
      'hosting has no setting "cleanUrl". It has: indexDocument,',
    ],
    ['a name of Object.prototype', '{"__proto__": 1}', 'no setting "__proto__"'],
    ['another type', { cleanUrls: 'yes' }, 'hosting.cleanUrls must be true or false'],
    [
      'another word',
      { trailingSlash: 'sometimes' },
      'hosting.trailingSlash must be auto or always or never',
    ],
    [
      'an index in a folder',
      { indexDocument: 'a/b.html' },
      'hosting.indexDocument must be the name of a file',
    ],
    ['no name', { indexDocument: '' }, 'hosting.indexDocument'],
    ['half a character', { errorDocument: 'a\ud800' }, 'hosting must be made of whole characters'],
    ['a folder for errors', { errorDocument: 'a/' }, 'hosting.errorDocument'],
    [
      'half a rule',
      { cacheControlRules: [{ match: '/**' }] },
      'hosting.cacheControlRules[0].cacheControl must be',
    ],
    [
      'a second header',
      { cacheControlRules: [{ match: '/**', cacheControl: 'a\r\nb: c' }] },
      'hosting.cacheControlRules[0].cacheControl',
    ],
    [
      'a broken pattern',
      { cacheControlRules: [{ match: '{a', cacheControl: 'b' }] },
      'cacheControlRules[0].match',
    ],
    [
      'patterns that would take seconds',
      {
        cacheControlRules: Array(50).fill({
          match: `/${'**a'.repeat(70)}${'{a,b}'.repeat(6)}`,
          cacheControl: 'b',
        }),
      },
      'hosting.cacheControlRules must be patterns of at most 8192 places together',
    ],
    [
      'such patterns of other sites',
      { hotlink: { match: Array(20).fill(`/${'**a'.repeat(70)}${'{a,b}'.repeat(6)}`) } },
      'hosting.hotlink.match must be patterns of at most 8192 places together',
    ],
    [
      'too many',
      { cacheControlRules: Array(51).fill({ match: '/**', cacheControl: 'b' }) },
      'a list of at most 50',
    ],
    [
      'a URL for a host',
      { hotlink: { allowedHosts: ['https://a.example'] } },
      'hosting.hotlink.allowedHosts[0]',
    ],
    [
      'a host with a port',
      { domains: [{ host: 'a.example:80' }] },
      'hosting.domains[0].host must be a domain name',
    ],
    ['a host in capitals', { domains: [{ host: 'A.example' }] }, 'hosting.domains[0].host'],
    ['an address', { domains: [{ host: '192.0.2.1' }] }, 'hosting.domains[0].host'],
    ['a name without a dot', { domains: [{ host: 'intranet' }] }, 'hosting.domains[0].host'],
    ['a host of ours', { domains: [{ host: 's3.storage.example' }] }, 'hosting.domains[0].host'],
    [
      'a host twice',
      { domains: [{ host: 'a.example' }, { host: 'a.example' }] },
      '"a.example" twice',
    ],
    [
      'a prefix of no folder',
      { domains: [{ host: 'a.example', prefix: 'site' }] },
      'hosting.domains[0].prefix',
    ],
    [
      'an absolute prefix',
      { domains: [{ host: 'a.example', prefix: '/site/' }] },
      'hosting.domains[0].prefix',
    ],
  ];
  it.each(table)('refuse %s', (_, document, message) => {
    expect(() => read(document, ['storage.example'])).toThrow(
      expect.objectContaining({
        code: 'InvalidRequest',
        message: expect.stringContaining(message),
      }),
    );
  });
});
