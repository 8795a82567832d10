// The table of settings in docs/hosting.md has every setting that there is, with its default.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HOSTING_DEFAULTS } from '../../src/core/hosting/read-hosting.ts';

it('docs/hosting.md names every setting with its default', () => {
  const text = readFileSync(new URL('../../docs/hosting.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` \| `([^`]+)` \|/gm)].map(([, name, value]) => [
    name,
    value,
  ]);
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(
      Object.entries(HOSTING_DEFAULTS).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
  );
});
