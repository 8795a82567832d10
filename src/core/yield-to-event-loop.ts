/**
 * Lets everything else run: on Node a read of the index is done at once, and many of them would
 * shut requests out.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * Steps in a row may take so long, milliseconds: a long policy is asked about each of many keys.
 */
const IN_A_ROW_MAX_MS = 10;

/** To be awaited after each of many steps: breathes where those in a row have taken long enough. */
export function createYielder(): () => Promise<void> | null {
  let beganAtMs = performance.now();
  return () => {
    if (performance.now() - beganAtMs < IN_A_ROW_MAX_MS) return null;
    return yieldToEventLoop().then(() => {
      beganAtMs = performance.now();
    });
  };
}
