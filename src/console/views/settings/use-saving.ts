// The saving of a form that stays: one at a time, with the reason where it fails.
import { useState } from 'preact/hooks';
import { errorLine } from '../../api/describe-error.ts';

export function useSaving() {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function save(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (cause) {
      setError(errorLine(cause));
    } finally {
      setBusy(false);
    }
  }

  return {
    isBusy,
    error,
    run: (work: () => Promise<void>) => {
      if (!isBusy) void save(work);
    },
  };
}
