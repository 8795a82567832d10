// The writer thread: the only writer of the index. Group commit: it takes all
// commands that wait, runs them in one transaction and replies when that is
// durable, with one fsync for all. It ends, and with it the process, when a commit
// fails in a way that leaves its outcome unknown.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { LEDGER_RULES } from '../../../core/ledger-rules.ts';
import { StorageError } from '../../../domain/errors.ts';
import { createBucketIndex } from '../../../index/bucket-index.ts';
import { type CallOutcome, failureOutcome, runIndexCall } from '../../../index/call-outcome.ts';
import { readSeenTime } from '../../../index/directory/seen-time.ts';
import { createDirectoryIndex } from '../../../index/directory-index.ts';
import { createLedgerIndex } from '../../../index/ledger-index.ts';
import { DIRECTORY_SCHEMA } from '../../../index/tables/directory-schema.ts';
import { INDEX_SCHEMA } from '../../../index/tables/index-schema.ts';
import { LEDGER_SCHEMA } from '../../../index/tables/ledger-schema.ts';
import { migrate } from '../../../index/tables/schema.ts';
import type { Sql } from '../../../ports/sql.ts';
import { systemClock } from '../../shared/system-clock.ts';
import { createSteadyClock } from '../services/steady-clock.ts';
import { openSqlite } from './node-sqlite.ts';
import { createUsageLimit } from './usage-limit.ts';
import type { WriterCall, WriterMessage, WriterRequest } from './writer-messages.ts';

/**
 * Most commands of one transaction: bounds how long the first of them waits for the
 * last.
 */
const GROUP_MAX = 512;

if (parentPort === null) throw new Error('index-writer.ts runs as a worker thread only.');
const port = parentPort;
const database = openSqlite((workerData as { path: string }).path, { readOnly: false });
/**
 * The latest time that usage counts by, looked at once for each group of commands.
 */
let latestMs = 0;
const sql: Sql = { ...database, latestMs: () => latestMs };
migrate(database, INDEX_SCHEMA);
migrate(database, DIRECTORY_SCHEMA);
migrate(database, LEDGER_SCHEMA);
const targets = {
  index: createBucketIndex(sql),
  directory: createDirectoryIndex(sql),
  ledger: createLedgerIndex(sql, LEDGER_RULES),
};
const usageLimit = createUsageLimit(systemClock, createSteadyClock(), () => readSeenTime(database));

function run(call: WriterCall): CallOutcome {
  // The client sends the names of the three APIs only, checked by its types.
  const api: { readonly [name: string]: (input: never) => unknown } = targets[call.target];
  return runIndexCall(api, call.name, call.input as never);
}

function commit(calls: readonly WriterCall[]): void {
  try {
    latestMs = usageLimit();
    const replies = database.batch(() => calls.map((call) => [call.id, run(call)] as const));
    send({ kind: 'replies', replies });
  } catch (error) {
    const reply = failureOutcome(error);
    send({ kind: 'replies', replies: calls.map((call) => [call.id, reply] as const) });
    // After a full disk SQLite has rolled the group back. With any other error it
    // may have reached the disk or not.
    if (!(error instanceof StorageError)) throw error;
  }
}

function send(message: WriterMessage): void {
  port.postMessage(message);
}

port.on('message', (first: WriterRequest) => {
  let waiting: WriterCall[] = [];
  let request: WriterRequest | undefined = first;
  while (request !== undefined) {
    if (request === 'close') {
      if (waiting.length > 0) commit(waiting);
      database.close();
      port.close();
      return;
    }
    waiting = waiting.concat(request);
    while (waiting.length >= GROUP_MAX) commit(waiting.splice(0, GROUP_MAX));
    request = receiveMessageOnPort(port)?.message as WriterRequest | undefined;
  }
  if (waiting.length > 0) commit(waiting);
});

send({ kind: 'ready' });
