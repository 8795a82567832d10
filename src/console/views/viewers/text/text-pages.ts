// The text that a viewer has read so far, page by page from the front.
import { useEffect, useRef, useState } from 'preact/hooks';
import { createDecoder, type Encoding } from './decode.ts';
import type { Pages } from './pages.ts';

export type PagedText = {
  readonly text: string;
  readonly encoding: Encoding | null;
  readonly isAtEnd: boolean;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly readBytes: number;
  readonly totalBytes: number;
};

const NOTHING: PagedText = {
  text: '',
  encoding: null,
  isAtEnd: false,
  isLoading: true,
  error: null,
  readBytes: 0,
  totalBytes: 0,
};

type Reading = {
  readonly pages: Pages;
  readonly decoder: ReturnType<typeof createDecoder>;
  readonly controller: AbortController;
};

/** Reads the first page at once and each further one when `more` is called. */
export function useTextPages(
  open: () => Pages,
  dependencies: readonly unknown[],
): { readonly state: PagedText; readonly more: () => void } {
  const [state, setState] = useState(NOTHING);
  const reading = useRef<Reading | null>(null);

  async function read(one: Reading): Promise<void> {
    const { pages, decoder, controller } = one;
    const { signal } = controller;
    setState((now) => ({ ...now, isLoading: true, error: null }));
    try {
      const page = await pages.next(signal);
      if (signal.aborted) return;
      const isAtEnd = page === null || pages.isAtEnd();
      const added = decoder.decode(page ?? new Uint8Array(), isAtEnd);
      setState((now) => ({
        text: now.text + added,
        encoding: decoder.encoding(),
        isAtEnd,
        isLoading: false,
        error: null,
        readBytes: pages.readBytes(),
        totalBytes: pages.totalBytes,
      }));
    } catch (error) {
      if (!signal.aborted) setState((now) => ({ ...now, isLoading: false, error }));
    }
  }

  useEffect(() => {
    const controller = new AbortController();
    const one = { pages: open(), decoder: createDecoder(), controller };
    reading.current = one;
    setState(NOTHING);
    void read(one);
    return () => controller.abort();
  }, [...dependencies]);

  const more = () => {
    if (reading.current !== null) void read(reading.current);
  };
  return { state, more };
}
