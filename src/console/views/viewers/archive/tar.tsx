// Inside a TAR: its headers are read one after the other by ranges, an entry when it
// is opened. A compressed one is read from its front as far as that is.
import { useEffect, useRef, useState } from 'preact/hooks';
import { QuaysideError } from '../../../api/client.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import type { ByteSource } from '../bytes.ts';
import { ViewerFrame } from '../frame.tsx';
import type { ViewProps } from '../shown.ts';
import { type Member, Members } from './members.tsx';
import { readTar, type TarEntry } from './tar-index.ts';

/** Bytes of an entry that are read at once. */
const PIECE_BYTES = 1024 * 1024;

type State = {
  readonly entries: readonly TarEntry[];
  readonly nextOffset: number | null;
  readonly isLoading: boolean;
  readonly error: unknown;
};

export default function TarView({ shown, compact }: ViewProps) {
  return <TarOf shown={shown} compact={compact} source={shown.source} />;
}

export function TarOf({ shown, compact, source }: ViewProps & { readonly source: ByteSource }) {
  const texts = t().viewers.archive;
  const [state, setState] = useState<State>({
    entries: [],
    nextOffset: 0,
    isLoading: true,
    error: null,
  });
  const controller = useRef(new AbortController());

  async function read(from: number): Promise<void> {
    const { signal } = controller.current;
    setState((now) => ({ ...now, isLoading: true, error: null }));
    try {
      const page = await readTar(source, from, signal);
      if (signal.aborted) return;
      setState((now) => ({
        entries: now.entries.concat(page.entries),
        nextOffset: page.nextOffset,
        isLoading: false,
        error: null,
      }));
    } catch (error) {
      if (signal.aborted) return;
      setState((now) => ({ ...now, isLoading: false, error: describe(error) }));
    }
  }
  useEffect(() => {
    controller.current = new AbortController();
    void read(0);
    return () => controller.current.abort();
  }, [source]);

  const { entries, nextOffset, isLoading, error } = state;
  if (entries.length === 0 && (isLoading || error !== null)) {
    return (
      <ViewerFrame compact={compact}>
        {error !== null && <Failure error={error} onRetry={() => void read(0)} />}
      </ViewerFrame>
    );
  }
  return (
    <>
      <Members
        name={shown.name}
        compact={compact}
        members={entries.map((entry) => memberOf(entry, source))}
        isWhole={nextOffset === null}
        more={
          nextOffset !== null && (
            <Button label={texts.more} isBusy={isLoading} onClick={() => void read(nextOffset)} />
          )
        }
      />
      {error !== null && <Failure error={error} onRetry={() => void read(nextOffset ?? 0)} />}
    </>
  );
}

function memberOf(entry: TarEntry, source: ByteSource): Member {
  const { path, sizeBytes, modifiedMs, isFolder, offsetBytes } = entry;
  const open = (signal: AbortSignal): ReadableStream<Uint8Array> => {
    let at = 0;
    return new ReadableStream({
      async pull(stream) {
        if (at >= sizeBytes) return stream.close();
        const length = Math.min(PIECE_BYTES, sizeBytes - at);
        const piece = await source.read(offsetBytes + at, length, signal);
        if (piece.length === 0) return stream.error(describe(new RangeError('It is cut')));
        at += piece.length;
        stream.enqueue(piece);
      },
    });
  };
  return { path, sizeBytes, modifiedMs, isFolder, isEncrypted: false, open };
}

function describe(error: unknown): unknown {
  if (!(error instanceof RangeError) && !(error instanceof TypeError)) return error;
  return new QuaysideError('DamagedArchive', `${t().viewers.archive.damaged}: ${error.message}`);
}
