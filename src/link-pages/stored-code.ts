// The sender's code in this browser's storage, from one visit of a drop page to the next.

/** Reads the stored code of a drop page; null: there is none, or no storage. */
export function readCode(base: string): string | null {
  try {
    return localStorage.getItem(`quayside ${base}`);
  } catch {
    return null;
  }
}

/** Stores the code, so that a reload of the page goes on. */
export function storeCode(base: string, code: string): void {
  try {
    localStorage.setItem(`quayside ${base}`, code);
  } catch {
    // In a browser that stores nothing, the sender reads the code on the page.
  }
}
