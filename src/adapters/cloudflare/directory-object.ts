// The Durable Object of the directory: accounts, access keys and bucket names. There is one, named in do-directory.ts,
// which is also its only caller.
import { DurableObject } from 'cloudflare:workers';
import { createDirectoryIndex } from '../../index/directory-index.ts';
import { type IndexReply, runIndexCall } from '../../index/reply.ts';
import { DIRECTORY_SCHEMA, migrate } from '../../index/schema.ts';
import type { DirectoryApi } from '../../ports/directory.ts';
import { createDoSql } from './do-sqlite.ts';
import type { WorkerEnv } from './env.ts';

export class DirectoryObject extends DurableObject<WorkerEnv> {
  readonly #directory: DirectoryApi;

  constructor(ctx: DurableObjectState, env: WorkerEnv) {
    super(ctx, env);
    const sql = createDoSql(ctx.storage);
    // Synchronous, so no call can come in between; a failed migration makes every call fail with its reason.
    migrate(sql, DIRECTORY_SCHEMA);
    this.#directory = createDirectoryIndex(sql);
  }

  /** Runs one call. Atomic and, once the answer is out, durable. Never throws; failures are in the reply. */
  call(name: keyof DirectoryApi, input: unknown): IndexReply {
    return runIndexCall(this.#directory, name, input as never);
  }
}
