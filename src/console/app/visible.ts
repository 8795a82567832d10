// Nothing is requested while nobody looks: a tab in the background sends no request
// by a timer, and catches up when it is shown again.
import { useEffect } from 'preact/hooks';

/** Resolves when the page is shown: at once, or when its tab is chosen. */
export function whenVisible(): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
  });
}

/** Waits, and while the page is hidden longer. */
export async function waitVisible(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  await whenVisible();
}

/**
 * Calls `run` again and again as long as the page is shown, and at once when it is
 * shown again. `everyMs`: milliseconds; null: not now.
 */
export function useEvery(everyMs: number | null, run: () => void, depends: readonly unknown[]) {
  useEffect(() => {
    if (everyMs === null) return;
    let isMissed = false;
    const tick = () => {
      isMissed = document.hidden;
      if (!isMissed) run();
    };
    const catchUp = () => {
      if (isMissed) tick();
    };
    const timer = setInterval(tick, everyMs);
    document.addEventListener('visibilitychange', catchUp);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', catchUp);
    };
  }, [everyMs, ...depends]);
}
