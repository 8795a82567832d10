// A barrier before the databases of a core: it holds back one command, counted from when it is
// armed, and then fails it. A caller that responds before that, or as if the command had landed,
// has not waited for it. The ports behind are real.
import { AsyncLocalStorage } from 'node:async_hooks';
import { StorageError } from '../../src/domain/errors.ts';
import { isDirectoryCommand, isIndexCommand, isLedgerCommand } from '../../src/index/call-kinds.ts';
import type { Ports } from '../../src/ports/index.ts';

/** Turns of the event loop that an answer gets to come too early. */
const TURNS = 10;

type HeldCommand = { readonly name: string; readonly fail: () => void };

export type CommitBarrier = {
  /** These ports, whose commands come by the read policy. */
  wrap(ports: Ports): Ports;
  /**
   * Runs the request with its command of that number held, 1 is the first: null when it has fewer,
   * and then it went through. `answeredBefore`: the request had its answer while the command was
   * held. Work behind answers is not looked at.
   */
  run<Reply>(
    request: () => Promise<Reply>,
    number: number,
  ): Promise<{
    readonly reply: Reply;
    readonly held: { readonly name: string; readonly answeredBefore: boolean } | null;
  }>;
};

type Status = { readonly status: number };

/**
 * Holds and fails each command of a request in its turn: the request is prepared anew for each, and
 * once more for the last attempt, which goes through and is `last`.
 */
export async function failEachCommand<Reply extends Status>(
  barrier: CommitBarrier,
  prepare: () => Promise<() => Promise<Reply>>,
) {
  const failed: {
    readonly command: string;
    readonly answeredBefore: boolean;
    readonly status: number;
  }[] = [];
  for (;;) {
    const { reply, held } = await barrier.run(await prepare(), failed.length + 1);
    if (held === null) return { failed, last: reply };
    failed.push({ command: held.name, answeredBefore: held.answeredBefore, status: reply.status });
  }
}

export function createCommitBarrier(): CommitBarrier {
  const behindAnswers = new AsyncLocalStorage<true>();
  let left = 0;
  let onHeld: (held: HeldCommand) => void = () => {};

  function pass<Call extends (...given: never[]) => Promise<unknown>, Name extends string>(
    call: Call,
    nameAt: number,
    isCommand: (name: Name) => boolean,
  ): Call {
    return (async (...given: never[]) => {
      const name: Name = given[nameAt] as never;
      if (!isCommand(name) || behindAnswers.getStore() === true) return call(...given);
      left -= 1;
      if (left === 0)
        await new Promise<never>((_, reject) =>
          onHeld({ name, fail: () => reject(failure(name)) }),
        );
      return call(...given);
    }) as Call;
  }

  return {
    wrap(ports) {
      const { background, directory, ledger, metadataIndex } = ports;
      return {
        ...ports,
        background: {
          ...background,
          run: (label, work) => background.run(label, () => behindAnswers.run(true, work)),
        },
        directory: { ...directory, call: pass(directory.call, 0, isDirectoryCommand) },
        ledger: { ...ledger, call: pass(ledger.call, 0, isLedgerCommand) },
        metadataIndex: { ...metadataIndex, call: pass(metadataIndex.call, 1, isIndexCommand) },
      };
    },
    async run(request, number) {
      left = number;
      const held: HeldCommand[] = [];
      const reached = Promise.withResolvers<void>();
      onHeld = (command) => {
        held.push(command);
        reached.resolve();
      };
      let isAnswered = false;
      const answer = request().finally(() => {
        isAnswered = true;
      });
      await Promise.race([reached.promise, answer]);
      // Either of them may still come: an answer too early, or a command too late.
      for (let turn = 0; turn < TURNS; turn++)
        await new Promise((resolve) => setImmediate(resolve));
      left = 0;
      const [command] = held;
      if (command === undefined) return { reply: await answer, held: null };
      const answeredBefore = isAnswered;
      command.fail();
      return { reply: await answer, held: { name: command.name, answeredBefore } };
    },
  };
}

const failure = (name: string) =>
  new StorageError('ServiceUnavailable', { detail: `The barrier failed ${name}.` });
