// The seed of the settings: what it may be, and that its mistakes show no secret.
import { describe, expect, it } from 'vitest';
import { parseSeed, SeedError } from '../../../src/core/auth/seed.ts';

const account = (changes: object = {}) => ({
  id: 'alt',
  displayName: 'Alt',
  keys: [{ accessKey: 'altkey', secretKey: 'altsecret' }],
  ...changes,
});
const seed = (...accounts: unknown[]) => JSON.stringify({ accounts });

describe('parseSeed', () => {
  it('reads accounts with their keys', () => {
    const other = account({ id: 'main', keys: [] });
    expect(parseSeed(seed(account(), other))).toEqual([
      { id: 'altkey', secret: 'altsecret', account: { id: 'alt', displayName: 'Alt' } },
    ]);
  });

  it.each([
    ['no JSON', '{'],
    ['no accounts', '{}'],
    ['an account that is none', seed(null)],
    ['no id', seed(account({ id: undefined }))],
    ['an id with a slash', seed(account({ id: 'a/b' }))],
    ['a name with a line break', seed(account({ displayName: 'a\nb' }))],
    ['keys that are no list', seed(account({ keys: {} }))],
    ['a key without a secret', seed(account({ keys: [{ accessKey: 'altkey' }] }))],
    ['a short secret', seed(account({ keys: [{ accessKey: 'altkey', secretKey: 'short' }] }))],
    ['one key twice', seed(account(), account({ id: 'b' }))],
  ])('refuses %s, and shows no secret', (_, text) => {
    expect(() => parseSeed(text)).toThrow(SeedError);
    try {
      parseSeed(text);
    } catch (error) {
      expect(String(error)).not.toContain('altsecret');
    }
  });
});
