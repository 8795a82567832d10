// Pausing: what is under way is stopped, and goes on from its last whole part when
// resumed.

export type Pauser = {
  pause(): void;
  resume(): void;
  /** Runs it while not paused, from its beginning again after each pause. */
  run<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
};

/** `stopped` ends it for good, also while it is paused. */
export function createPauser(stopped: AbortSignal): Pauser {
  let running = new AbortController();
  /** Resolves when it is resumed; null: it is not paused. */
  let resumed: Promise<void> | null = null;
  let endPause = () => {};

  function pause(): void {
    if (resumed !== null) return;
    resumed = new Promise((resolve) => {
      endPause = resolve;
    });
    running.abort(new DOMException('Paused', 'AbortError'));
  }

  function resume(): void {
    if (resumed === null) return;
    running = new AbortController();
    resumed = null;
    endPause();
  }

  stopped.addEventListener('abort', resume, { once: true });
  return {
    pause,
    resume,
    async run(work) {
      for (;;) {
        await resumed;
        stopped.throwIfAborted();
        const { signal } = running;
        try {
          return await work(AbortSignal.any([signal, stopped]));
        } catch (error) {
          if (!signal.aborted || stopped.aborted) throw error;
        }
      }
    },
  };
}
