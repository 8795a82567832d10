// Work that waits until the page has nothing else to do.

/** Longest wait, milliseconds: a page that is never idle loads its rest all the same. */
const LATEST_MS = 1500;
/** Wait where the browser does not say when it is idle (Safari), milliseconds. */
const UNTOLD_MS = 300;

/** Runs the work when the page is idle; the result takes that back. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(work, UNTOLD_MS);
    return () => clearTimeout(timer);
  }
  const id = requestIdleCallback(work, { timeout: LATEST_MS });
  return () => cancelIdleCallback(id);
}
