import { describe, expect, it } from 'vitest';
import { createAccessKeyIds } from '../../../src/core/auth/access-key-id.ts';
import { createAccessKeyFinder } from '../../../src/core/auth/find-access-key.ts';
import type { Core } from '../../../src/core/core.ts';
import { toMasterKey } from '../../../src/core/encryption/master-keys.ts';
import type { AccessKeyId } from '../../../src/domain/nouns.ts';

const masterKey = (fill: number) => toMasterKey(new Uint8Array(32).fill(fill));
const [old, current, foreign] = [masterKey(1), masterKey(2), masterKey(3)];

describe('ids of access keys', () => {
  it('are proven by the master key that made them, also once it is an older one', () => {
    const id = createAccessKeyIds([old]).make();
    expect(id).toMatch(/^QS[0-9A-HJKMNP-TV-Z]{20}$/);
    expect(createAccessKeyIds([old]).prove(id)).toBe('proven');
    expect(createAccessKeyIds([current, old]).prove(id)).toBe('proven');
    expect(createAccessKeyIds([foreign]).prove(id)).toBe('forged');
    expect(createAccessKeyIds([]).prove(id)).toBe('forged');
  });

  it('are refused when any character is another one', () => {
    const ids = createAccessKeyIds([current]);
    const id = ids.make();
    for (let at = 2; at < id.length; at++) {
      const other = id[at] === '0' ? '1' : '0';
      expect(ids.prove(id.slice(0, at) + other + id.slice(at + 1))).toBe('forged');
    }
  });

  it('of other forms need no tag: older releases, the root key, members, settings', () => {
    const ids = createAccessKeyIds([current]);
    const others = [
      'QS0123456789ABCDEF',
      'QSROOTABCDEFGHIJKLMN',
      'QS-member-0123456789ab',
      'AKIAIOSFODNN7EXAMPLE',
      'my-own-key',
      `${ids.make()}0`,
      '',
    ];
    for (const id of others) expect(ids.prove(id)).toBe('untagged');
  });

  it('can not be made without a master key', () => {
    expect(() => createAccessKeyIds([]).make()).toThrow(
      expect.objectContaining({ code: 'ServiceUnavailable' }),
    );
  });
});

describe('the look-up of a key', () => {
  function finder() {
    const asked: unknown[] = [];
    const call = (_name: string, input: unknown) => {
      asked.push(input);
      return Promise.resolve(null);
    };
    const settings = { masterKeys: [current] };
    const core = { settings, ports: { directory: { call } } } as unknown as Core;
    const account = { id: 'seeded', displayName: 'seeded' } as never;
    const seeded = createAccessKeyIds([foreign]).make();
    const find = createAccessKeyFinder(core, { id: 'root', secret: 'secret-of-root' }, [
      { id: seeded, secret: 'secret', account },
    ]);
    return { find, asked, seeded };
  }

  it('calls nobody for an id that somebody made up', async () => {
    const { find, asked } = finder();
    for (let at = 0; at < 100; at++)
      expect(await find(createAccessKeyIds([foreign]).make())).toBe(null);
    expect(asked).toEqual([]);
  });

  it('says of an id whether it is proven', async () => {
    const { find, asked } = finder();
    const id = createAccessKeyIds([current]).make();
    await find(id);
    await find('QS0123456789ABCDEF' as AccessKeyId);
    expect(asked).toEqual([
      { id, isProven: true },
      { id: 'QS0123456789ABCDEF', isProven: false },
    ]);
  });

  it('finds keys of the settings, whatever their form', async () => {
    const { find, asked, seeded } = finder();
    expect(await find(seeded)).toMatchObject({ id: seeded });
    expect(asked).toEqual([]);
  });
});
