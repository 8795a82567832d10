// Runs the contracts of the index and the directory over SQLite in memory.
import {
  createDirectDirectory,
  createDirectMetadataIndex,
} from '../../src/adapters/memory/direct-metadata-index.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { createDirectoryIndex } from '../../src/index/directory-index.ts';
import { DIRECTORY_SCHEMA } from '../../src/index/tables/directory-schema.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import type { Schema } from '../../src/index/tables/schema.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { directoryContract } from '../contract/directory.contract.ts';
import { metadataIndexContract } from '../contract/index/metadata-index.contract.ts';
import { openMigrated } from './kit/open-migrated.ts';

const name = 'node:sqlite in memory';

function database(schema: Schema): Sql {
  const sql = openMigrated(schema);
  return sql;
}

metadataIndexContract({
  name,
  make: () => createDirectMetadataIndex(createBucketIndex(database(INDEX_SCHEMA))),
});
directoryContract({
  name,
  make: () => createDirectDirectory(createDirectoryIndex(database(DIRECTORY_SCHEMA))),
});
