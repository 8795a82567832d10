// Which host names show which buckets: a part of the directory. A host has one
// bucket, and that incarnation of it alone. Plain synchronous code over a SQL port;
// directory-index.ts makes each call atomic.

import { StorageError } from '../../domain/errors.ts';
import type { BucketId, BucketName } from '../../domain/nouns.ts';
import type { DirectoryApi, HostBinding } from '../../ports/directory.ts';
import type { Sql } from '../../ports/sql.ts';

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createHostCalls(sql: Sql): Pick<DirectoryApi, 'getHost' | 'bindHosts'> {
  return {
    getHost: ({ host }) => readHost(sql, host),

    bindHosts({ bucket, domains, mayTake }) {
      for (const { host } of domains) {
        const holder = readHost(sql, host);
        if (holder === null || holder.bucketId === bucket.id) continue;
        if (mayTake.some((taken) => taken.host === host && taken.bucketId === holder.bucketId))
          continue;
        throw new StorageError('DomainAlreadyBound', { fields: { Domain: host } });
      }
      sql.all('DELETE FROM hosts WHERE bucket_id = ?', bucket.id);
      for (const { host, prefix } of domains) {
        sql.all(
          'INSERT OR REPLACE INTO hosts (host, bucket, bucket_id, prefix) VALUES (?, ?, ?, ?)',
          host,
          bucket.name,
          bucket.id,
          prefix,
        );
      }
    },
  };
}

function readHost(sql: Sql, host: string): HostBinding | null {
  const [row] = sql.all<{ bucket: string; bucket_id: string; prefix: string }>(
    'SELECT bucket, bucket_id, prefix FROM hosts WHERE host = ?',
    host,
  );
  if (row === undefined) return null;
  return {
    host,
    bucket: row.bucket as BucketName,
    bucketId: row.bucket_id as BucketId,
    prefix: row.prefix,
  };
}
