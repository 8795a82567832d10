// Which programs may work on a database that has shards: those that find all of them.
import { expect, it } from 'vitest';
import { KNOWS_SHARDS } from '../../../src/index/shards/begin-shards.ts';
import { INDEX_SCHEMA, SHARDS_EVERYWHERE } from '../../../src/index/tables/index-schema.ts';

it('the version that a database with shards asks for is that of their migration', () => {
  expect(INDEX_SCHEMA.migrations.indexOf(SHARDS_EVERYWHERE) + 1).toBe(KNOWS_SHARDS);
});
