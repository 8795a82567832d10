// Hosting settings compiled to rules for one object.
import { describe, expect, it } from 'vitest';
import { createHostingRules } from '../../../src/core/hosting/hosting-rules.ts';
import { HOSTING_DEFAULTS } from '../../../src/core/hosting/read-hosting.ts';

describe('rules of a document', () => {
  it('are the first that matches, and what is protected', () => {
    const rules = createHostingRules()({
      ...HOSTING_DEFAULTS,
      cacheControlRules: [
        { match: '*.{css,js}', cacheControl: 'first' },
        { match: '/assets/**', cacheControl: 'second' },
      ],
      hotlink: { allowedHosts: [], allowEmptyReferer: true, match: ['*.png', '/private/**'] },
    });
    expect(['assets/a.js', 'assets/a.png', 'a.png'].map(rules.cacheControlOf)).toEqual([
      'first',
      'second',
      null,
    ]);
    expect(rules.isProtected('a.png', 'image/png')).toBe(true);
    expect(rules.isProtected('private/a', 'text/html; charset=utf-8')).toBe(false);
    expect(rules.isProtected('a.gif', 'image/gif')).toBe(false);
  });

  it('that were stored before patterns had a bound take no time, and protect everything', () => {
    const match = `/${'**a'.repeat(70)}${'{a,b}'.repeat(6)}`;
    const rules = createHostingRules()({
      ...HOSTING_DEFAULTS,
      cacheControlRules: [
        { match: '/b', cacheControl: 'b' },
        ...Array(49).fill({ match, cacheControl: 'a' }),
      ],
      hotlink: { allowedHosts: [], allowEmptyReferer: true, match: Array(20).fill(match) },
    });
    const key = 'a'.repeat(1023);
    const before = process.cpuUsage().user;
    expect([rules.cacheControlOf('b'), rules.cacheControlOf(key)]).toEqual(['b', null]);
    expect(rules.isProtected(key, 'image/png')).toBe(true);
    expect(process.cpuUsage().user - before).toBeLessThan(500_000);
  });
});
