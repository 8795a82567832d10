// A member is made before the count of taken logins is lowered; that may fail on its own.
import { expect, it } from 'vitest';
import { addMember } from '../../../src/core/accounts/members.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { AccountId } from '../../../src/domain/nouns.ts';
import type { Ports } from '../../../src/ports/index.ts';
import { createMemoryCore, withPorts } from '../memory-core.ts';

it('a new member gets its response, whatever becomes of the count of taken logins', async () => {
  const plain = createMemoryCore();
  const { directory } = plain.ports;
  const call = (async (name: string, input: never) => {
    if (name === 'uncountAttempt') throw new StorageError('ServiceUnavailable');
    return directory.call(name as never, input);
  }) as Ports['directory']['call'];
  const core = withPorts(plain, { directory: { ...directory, call } });
  const accountId = 'a'.repeat(64) as AccountId;
  const member = {
    accountId,
    login: 'ada',
    displayName: 'Ada',
    role: 'reader',
    password: null,
  } as const;
  expect(await addMember(core, member, false)).toMatchObject({ login: 'ada', hasPassword: false });
  await plain.settle();
});
