// Whether a history of reads and writes is that of one register: the check of tests of consistency.
// A key has one writer at a time, so that is linearizability.

/**
 * What happened, in the order in which it did. `reader`: a read, begun and ended; `matches`: the
 * values that its response can have been made from.
 */
export type RegisterEvent =
  | { readonly kind: 'write-begun'; readonly value: number }
  | { readonly kind: 'write-ended'; readonly value: number }
  | { readonly kind: 'read-begun'; readonly read: object }
  | { readonly kind: 'read-ended'; readonly read: object; matches(value: number): boolean };

/**
 * Why a history is not one of a register that was 0 at first; null: it is. Each read is taken for
 * the oldest value that it can be: a newer one would only forbid later reads more.
 */
export function flawOf(history: readonly RegisterEvent[]): string | null {
  const floors = new Map<object, number>();
  let begun = 0;
  let floor = 0;
  for (const event of history) {
    if (event.kind === 'write-begun') begun = event.value;
    else if (event.kind === 'write-ended') floor = Math.max(floor, event.value);
    else if (event.kind === 'read-begun') floors.set(event.read, floor);
    else {
      let value = floors.get(event.read) ?? 0;
      while (value <= begun && !event.matches(value)) value += 1;
      if (value > begun) return `a read from ${floors.get(event.read)} to ${begun} shows neither`;
      floor = Math.max(floor, value);
    }
  }
  return null;
}
