// What a viewer has read so far of bytes that come page by page from the front: text, or rows of a
// table.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Encoding } from './decode.ts';
import type { Pages } from './pages.ts';

export type PagesState<Content> = {
  readonly content: Content;
  readonly encoding: Encoding | null;
  readonly isAtEnd: boolean;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly readBytes: number;
  readonly totalBytes: number;
};

/** Makes content of pages, which come in order. */
export type PageReader<Content> = {
  /** Adds a page, and returns the content of all so far. */
  add(page: Uint8Array, isAtEnd: boolean): Content;
  encoding(): Encoding | null;
};

type Reading<Content> = {
  readonly pages: Pages;
  readonly reader: PageReader<Content>;
  readonly stop: AbortController;
};

/** Reads the first page at once and each further one when `more` is called. */
export function usePages<Content>(
  open: () => Pages,
  createReader: () => PageReader<Content>,
  empty: Content,
  name: string,
): { readonly state: PagesState<Content>; readonly more: () => void } {
  const [state, setState] = useState(() => nothingOf(empty));
  const reading = useRef<Reading<Content> | null>(null);
  const isBusy = useRef(false);

  async function read({ pages, reader, stop }: Reading<Content>): Promise<void> {
    const { signal } = stop;
    isBusy.current = true;
    setState((now) => ({ ...now, isLoading: true, error: null }));
    try {
      const page = await pages.next(signal);
      if (signal.aborted) return;
      const isAtEnd = page === null || pages.isAtEnd();
      const content = reader.add(page ?? new Uint8Array(), isAtEnd);
      setState({
        content,
        encoding: reader.encoding(),
        isAtEnd,
        isLoading: false,
        error: null,
        readBytes: pages.readBytes(),
        totalBytes: pages.totalBytes,
      });
    } catch (error) {
      if (!signal.aborted) setState((now) => ({ ...now, isLoading: false, error }));
    } finally {
      isBusy.current = false;
    }
  }

  useEffect(() => {
    const one = { pages: open(), reader: createReader(), stop: new AbortController() };
    reading.current = one;
    setState(nothingOf(empty));
    void read(one);
    return () => one.stop.abort();
  }, [name]);

  const more = () => {
    if (reading.current !== null && !isBusy.current) void read(reading.current);
  };
  return { state, more };
}

function nothingOf<Content>(empty: Content): PagesState<Content> {
  return {
    content: empty,
    encoding: null,
    isAtEnd: false,
    isLoading: true,
    error: null,
    readBytes: 0,
    totalBytes: 0,
  };
}
