// The sender's code, kept by this browser from one visit of a drop page to the next.

/** The code stays with this browser, so that a reload goes on. */
export function readCode(base: string): string | null {
  try {
    return localStorage.getItem(`quayside ${base}`);
  } catch {
    return null;
  }
}

export function keepCode(base: string, code: string): void {
  try {
    localStorage.setItem(`quayside ${base}`, code);
  } catch {
    // A browser that stores nothing: the code is on the page.
  }
}
