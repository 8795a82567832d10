// Which meters a query of usage gives, and which requests are told by their names.
import { beforeAll, expect, it } from 'vitest';
import type { MeterName } from '../../../src/domain/billing/usage.ts';
import type { BucketId } from '../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { startMemoryApi } from '../memory-api.ts';

const api = await startMemoryApi();
const rows: readonly (readonly [MeterName, bigint])[] = [
  ['class-a/STANDARD', 3n],
  ['class-b/STANDARD', 5n],
  ['egress/memory', 70n],
  ['operation/PutObject', 3n],
  ['operation/GetObject', 5n],
];
const from = '2030-01-01T00:00:00Z';

beforeAll(async () => {
  const hourMs = Date.parse(from);
  await api.core.ports.ledger.call('record', {
    accountId: ROOT_ACCOUNT.id,
    batches: [
      {
        source: 'test',
        sequence: 1,
        rows: rows.map(([meter, quantity]) => ({
          hourMs,
          bucketId: 'b~1' as BucketId,
          accessKeyId: null,
          meter,
          quantity,
        })),
      },
    ],
    nowMs: hourMs + HOUR_MS,
  });
});

it.each<[Readonly<Record<string, string>>, readonly (readonly [string, string | null])[]]>([
  [
    {},
    [
      ['class-a/STANDARD', null],
      ['class-b/STANDARD', null],
      ['egress/memory', null],
    ],
  ],
  [{ meter: 'egress' }, [['egress/memory', null]]],
  [{ meter: 'egress/memory' }, [['egress/memory', null]]],
  [{ meter: 'egress/mem' }, []],
  [{ meter: 'class-a' }, [['class-a/STANDARD', null]]],
  [
    { groupBy: 'operation' },
    [
      ['operation/GetObject', 'GetObject'],
      ['operation/PutObject', 'PutObject'],
    ],
  ],
  [
    { meter: 'operation' },
    [
      ['operation/GetObject', 'GetObject'],
      ['operation/PutObject', 'PutObject'],
    ],
  ],
  [{ meter: 'operation/PutObject' }, [['operation/PutObject', 'PutObject']]],
])('the usage of %j is %j', async (query, expected) => {
  const search = new URLSearchParams({
    from,
    to: '2030-01-02T00:00:00Z',
    by: 'total',
    ...query,
  });
  const path = `/usage?${search}`;
  const { json } = await api.send({ method: 'GET', path, headers: {}, body: null });
  const shown = json.items.map(
    ({ meter, operation }: { meter: string; operation: string | null }) => [meter, operation],
  );
  expect(shown.toSorted()).toEqual(expected);
});
