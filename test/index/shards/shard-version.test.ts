// Which programs may work on a database that has shards: those whose schema has their tables.
import { expect, it } from 'vitest';
import { KNOWS_SHARDS } from '../../../src/index/shards/begin-shards.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import { SHARD_TABLES } from '../../../src/index/tables/shard-tables.ts';

it('the version that a database with shards asks for is that of their migration', () => {
  expect(INDEX_SCHEMA.migrations.indexOf(SHARD_TABLES) + 1).toBe(KNOWS_SHARDS);
});
