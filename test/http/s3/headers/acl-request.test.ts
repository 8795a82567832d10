import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../../../src/domain/nouns.ts';
import { readAclHeaders } from '../../../../src/http/s3/headers/acl-request.ts';
import { cpuMsOf, LONGEST, QUICK_MS } from '../../../cpu-time.ts';
import { failing } from '../kit/responses.ts';

const OWNER = 'a'.repeat(64) as AccountId;

const read = (value: string) =>
  readAclHeaders(
    {
      header: (name) => (name === 'x-amz-grant-read' ? value : null),
      findAccounts: async () => new Map([[OWNER, { id: OWNER, displayName: '' }]]),
    } as Parameters<typeof readAclHeaders>[0],
    'object',
  );

describe('a list of grantees in a header', () => {
  it.each([`id="${OWNER}"`, ` ID = ${OWNER} `, `\tid=\t"${OWNER}"\t`])(
    'reads %j',
    async (value) => {
      const grants = [{ grantee: { kind: 'account', id: OWNER }, permission: 'READ' }];
      expect(await read(value)).toEqual({ kind: 'grants', grants });
    },
  );

  it.each(['id', 'id=', 'id=""', 'id="', `id="${OWNER}`, `name="${OWNER}"`, `id=a"b`, '="a"', ','])(
    'refuses %j',
    async (value) => {
      await expect(read(value)).rejects.toThrow(failing('InvalidArgument'));
    },
  );

  it.each([
    ['a name', (blanks: string) => `id${blanks}x`],
    ['an equals sign', (blanks: string) => `id=${blanks}"${blanks}`],
    ['a value', (blanks: string) => `id=a${blanks}b"`],
  ])('is not slow for blanks behind %s', async (_, withBlanks) => {
    const value = withBlanks(' '.repeat(LONGEST));
    expect(await cpuMsOf(() => read(value).catch(() => undefined))).toBeLessThan(QUICK_MS);
  });
});
