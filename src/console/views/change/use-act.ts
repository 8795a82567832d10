// The act of a dialog: runs once at a time, closes on success, keeps what was typed
// and says what failed.
import { useState } from 'preact/hooks';
import { errorLine } from '../../api/describe-error.ts';

export type Act = {
  readonly isBusy: boolean;
  readonly error: string | null;
  /** Runs the work; the dialog closes when it succeeds. */
  run(work: () => Promise<void>): void;
};

export function useAct(onClose: () => void, onDone?: () => void): Act {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function perform(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await work();
      onDone?.();
      onClose();
    } catch (cause) {
      setError(errorLine(cause));
      setBusy(false);
    }
  }

  return {
    isBusy,
    error,
    run: (work) => {
      if (!isBusy) void perform(work);
    },
  };
}
