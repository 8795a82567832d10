// Work that waits until the page has nothing else to do.

/** Longest wait, milliseconds: a page that is never idle loads its rest all the same. */
const LATEST_MS = 1500;
/** Wait where the browser does not say when it is idle (Safari), milliseconds. */
const UNTOLD_MS = 300;

/** How soon it is looked again whether a page is still busy, milliseconds. */
const AGAIN_MS = 100;
/** Longest time that a page counts as busy, milliseconds: an answer may never come. */
const BUSY_MAX_MS = 3000;

/**
 * Runs the work when the page is idle; the result takes that back. A page that waits for its
 * first answer is idle too, but has more urgent things to do next: `isBusy` says so.
 */
export function whenIdle(work: () => void, isBusy: () => boolean = () => false): () => void {
  const busyUntil = performance.now() + BUSY_MAX_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let id: number | undefined;
  const look = () => {
    if (isBusy() && performance.now() < busyUntil) timer = setTimeout(wait, AGAIN_MS);
    else work();
  };
  const wait = () => {
    if (typeof requestIdleCallback !== 'function') timer = setTimeout(look, UNTOLD_MS);
    else id = requestIdleCallback(look, { timeout: LATEST_MS });
  };
  wait();
  return () => {
    clearTimeout(timer);
    if (id !== undefined) cancelIdleCallback(id);
  };
}
