/** Lets everything else run: on Node a read of the index is done at once, and many of them would shut requests out. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
