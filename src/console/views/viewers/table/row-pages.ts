// The rows that a table has read so far.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Encoding } from '../text/decode.ts';
import type { Pages } from '../text/pages.ts';
import { createRowReader, type RowReader } from './rows.ts';

type RowState = {
  readonly rows: readonly string[][];
  /** Cells of the widest row. */
  readonly width: number;
  readonly encoding: Encoding | null;
  readonly isAtEnd: boolean;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly readBytes: number;
  readonly totalBytes: number;
};

const NOTHING: RowState = {
  rows: [],
  width: 0,
  encoding: null,
  isAtEnd: false,
  isLoading: true,
  error: null,
  readBytes: 0,
  totalBytes: 0,
};
type Reading = {
  readonly pages: Pages;
  readonly reader: RowReader;
  readonly stop: AbortController;
};

/** Reads the first page at once and each further one when `more` is called. */
export function useRowPages(open: () => Pages, name: string) {
  const [state, setState] = useState(NOTHING);
  const reading = useRef<Reading | null>(null);
  const isBusy = useRef(false);

  async function read({ pages, reader, stop }: Reading): Promise<void> {
    const { signal } = stop;
    isBusy.current = true;
    setState((now) => ({ ...now, isLoading: true, error: null }));
    try {
      const page = await pages.next(signal);
      if (signal.aborted) return;
      const isAtEnd = page === null || pages.isAtEnd();
      const added = reader.read(page ?? new Uint8Array(), isAtEnd);
      const widest = added.reduce((width, row) => Math.max(width, row.length), 0);
      setState((now) => ({
        rows: now.rows.concat(added),
        width: Math.max(now.width, widest),
        encoding: reader.encoding(),
        isAtEnd,
        isLoading: false,
        error: null,
        readBytes: pages.readBytes(),
        totalBytes: pages.totalBytes,
      }));
    } catch (error) {
      if (!signal.aborted) setState((now) => ({ ...now, isLoading: false, error }));
    } finally {
      isBusy.current = false;
    }
  }

  useEffect(() => {
    const stop = new AbortController();
    const one = { pages: open(), reader: createRowReader(name), stop };
    reading.current = one;
    setState(NOTHING);
    void read(one);
    return () => stop.abort();
  }, [name]);

  const more = () => {
    if (reading.current !== null && !isBusy.current) void read(reading.current);
  };
  return { state, more };
}
