// The document of webhooks names every event of an account, and no other.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ACCOUNT_EVENTS } from '../../src/domain/webhooks.ts';

it('the table of account events has all of them, each once', () => {
  const text = readFileSync(new URL('../../docs/notifications.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split('\n## What an account hears of\n');
  const [table = ''] = section.split('\n## ', 1);
  const named = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([a-z.-]+)`/g)].map(([, name]) => name),
  );
  expect(named.toSorted()).toEqual([...ACCOUNT_EVENTS].toSorted());
});
