import { expect, it } from 'vitest';
import { announcement } from '../../../src/adapters/node/process/announce.ts';
import type { RootKey } from '../../../src/adapters/node/process/root-key.ts';
import { VERSION } from '../../../src/ports/version.ts';

const printed = (origin: RootKey['origin'], isTerminal: boolean) => {
  const path = origin === 'settings' ? null : '/data/root-key.json';
  const rootKey = { accessKey: 'QSROOT1', secretKey: 'very-secret', origin, path };
  return announcement('http://127.0.0.1:9000', '/data', rootKey, isTerminal);
};

it('the announcement says which version is ready, and where', () => {
  expect(printed('file', true)).toContain(`Quayside ${VERSION} is ready: http://127.0.0.1:9000\n`);
});

it('the announcement names the console below the key, to a terminal only', () => {
  expect(printed('new', true)).toMatch(
    /secret key .*\n {2}console {6}http:\/\/127\.0\.0\.1:9000\/-\/console\/\n$/,
  );
  expect(printed('new', false)).not.toContain('console');
});

it('the announcement shows a new root key to a terminal only', () => {
  expect(printed('new', true)).toContain(
    'secret key   very-secret  (shown this once; kept in /data/root-key.json)',
  );
  expect(printed('new', false)).toContain('secret key   kept in /data/root-key.json');
  for (const text of [printed('new', false), printed('file', true), printed('settings', true)]) {
    expect(text).not.toContain('very-secret');
  }
});
