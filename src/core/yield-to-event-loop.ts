// Yields to the event loop, for long work in steps. On Node a read of the index is
// synchronous, so many of them in a row would delay every request.

/** Yields to the event loop once, so that other requests can run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * How long steps in a row may take, milliseconds, as when a long policy is
 * evaluated for many keys.
 */
const IN_A_ROW_MAX_MS = 10;

/**
 * Creates a function to await after each of many steps. It yields to the event loop
 * once the steps in a row have taken long enough.
 */
export function createYielder(): () => Promise<void> | null {
  let beganAtMs = performance.now();
  return () => {
    if (performance.now() - beganAtMs < IN_A_ROW_MAX_MS) return null;
    return yieldToEventLoop().then(() => {
      beganAtMs = performance.now();
    });
  };
}
