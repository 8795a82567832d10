// Calls between the first thread and another one, both ways over one port. Calls of
// one tick go as one message. An error arrives as its StorageError
// (index/call-outcome.ts).
import type { MessagePort, Transferable, Worker } from 'node:worker_threads';
import { StorageError } from '../../../domain/errors.ts';
import { type CallOutcome, failureOutcome, unwrapOutcome } from '../../../index/call-outcome.ts';

/** The calls that an end answers, by name. */
export type ThreadCalls = Readonly<Record<string, (...args: never[]) => unknown>>;

type Letter =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly args: unknown[] }
  | { readonly kind: 'reply'; readonly id: number; readonly outcome: CallOutcome };

/** One end of the port between two threads. */
export type ThreadPeer<Far extends ThreadCalls> = {
  /** Rejects with what the far end throws, and with InternalError when that has gone. */
  call<Name extends keyof Far & string>(
    name: Name,
    args: Parameters<Far[Name]>,
    transfer?: readonly Transferable[],
  ): Promise<Awaited<ReturnType<Far[Name]>>>;
  /** Rejects what waits, and all calls from now on: the far end has gone. */
  end(): void;
};

/** Opens this end, which answers by `near`. */
export function openThreadPeer<Far extends ThreadCalls>(
  port: MessagePort | Worker,
  near: ThreadCalls,
): ThreadPeer<Far> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let letters: Letter[] = [];
  let transfers: Transferable[] = [];
  let lastId = 0;
  let isEnded = false;

  function send(letter: Letter, transfer: readonly Transferable[] = []): void {
    transfers.push(...transfer);
    if (letters.push(letter) === 1) setImmediate(flush);
  }

  function flush(): void {
    const [sent, transferred] = [letters, transfers];
    letters = [];
    transfers = [];
    if (isEnded) return;
    try {
      port.postMessage(sent, transferred);
    } catch (cause) {
      // Something in a letter was no plain data; none of them has gone out.
      for (const letter of sent) {
        const outcome = failureOutcome(new StorageError('InternalError', { cause }));
        if (letter.kind === 'call') settle(letter.id, outcome);
        else if (letter.outcome.isOk) send({ ...letter, outcome });
      }
    }
  }

  function settle(id: number, outcome: CallOutcome): void {
    const call = waiting.get(id);
    if (call === undefined) return;
    waiting.delete(id);
    try {
      call.resolve(unwrapOutcome(outcome));
    } catch (error) {
      call.reject(error);
    }
  }

  async function answer({ id, name, args }: Extract<Letter, { kind: 'call' }>): Promise<void> {
    let outcome: CallOutcome;
    try {
      // Both ends are of one program, and their types name what there is.
      outcome = { isOk: true, value: await near[name]?.(...(args as never[])) };
    } catch (error) {
      outcome = failureOutcome(error);
    }
    send({ kind: 'reply', id, outcome });
  }

  port.on('message', (received: readonly Letter[]) => {
    for (const letter of received)
      if (letter.kind === 'reply') settle(letter.id, letter.outcome);
      else void answer(letter);
  });

  const gone = () => new StorageError('InternalError', { detail: 'A thread has ended.' });
  return {
    call(name, args, transfer) {
      if (isEnded) return Promise.reject(gone());
      lastId += 1;
      const call = Promise.withResolvers<unknown>();
      waiting.set(lastId, call);
      send({ kind: 'call', id: lastId, name, args }, transfer);
      return call.promise as never;
    },
    end() {
      isEnded = true;
      for (const id of [...waiting.keys()]) settle(id, failureOutcome(gone()));
    },
  };
}
