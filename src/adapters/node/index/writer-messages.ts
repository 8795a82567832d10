// Messages between the main thread (index-writer-client.ts) and the writer thread
// (index-writer.ts).
import type { CallOutcome } from '../../../index/call-outcome.ts';

/** One command. `id` is the number that its reply will bear. */
export type WriterCall = {
  readonly id: number;
  readonly target: 'index' | 'directory' | 'ledger';
  readonly name: string;
  readonly input: unknown;
};

/**
 * To the writer: commands in order, or the request to end after those that came
 * before.
 */
export type WriterRequest = readonly WriterCall[] | 'close';

/**
 * From the writer: the database is open; replies of commands that are durable now.
 */
export type WriterMessage =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'replies';
      readonly replies: readonly (readonly [id: number, reply: CallOutcome])[];
    };
