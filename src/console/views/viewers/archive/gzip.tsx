// A gzip file, by what is in it: a table, an archive, text. It is read from its front
// as far as that is shown; its end is shown once all of it was read.
import { ListEnd, Square } from 'lucide';
import { useMemo, useRef, useState } from 'preact/hooks';
import { errorLine } from '../../../api/describe-error.ts';
import { bytes } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { InlineError, LoadLine } from '../../../ui/small.tsx';
import { memorySource } from '../bytes.ts';
import { useLoaded, ViewerFrame } from '../frame.tsx';
import HexView from '../hex.tsx';
import { HEAD_BYTES, kindOf, kindOfBytes, type ViewerKind } from '../kinds.ts';
import type { Shown, ViewProps } from '../shown.ts';
import { RowsView } from '../table/table.tsx';
import { CodeView } from '../text/code.tsx';
import { createDecoder } from '../text/decode.ts';
import { lastLines, TAIL_LINES } from '../text/log.tsx';
import { gunzipPages } from '../text/pages.ts';
import { COMPACT_BYTES, PAGE_BYTES, PagedText } from '../text/text.tsx';
import { gunzipSource } from './gunzip-source.ts';
import { TarOf } from './tar.tsx';

/** `app.log` of `app.log.gz`, `site.tar` of `site.tgz`. */
const innerName = (name: string): string => name.replace(/\.tgz$/i, '.tar').replace(/\.gz$/i, '');

/** First bytes of what is inside: they show its kind. */
const SAMPLE_BYTES = 16 * 1024;

export default function GzipView({ shown, compact }: ViewProps) {
  const name = innerName(shown.name);
  const head = useLoaded(
    async (signal) => {
      const page = await gunzipPages(shown.source, SAMPLE_BYTES).next(signal);
      return page ?? new Uint8Array();
    },
    [shown.name],
  );
  if (head.value === null) {
    return (
      <ViewerFrame compact={compact}>
        {head.error !== null && <Failure error={head.error} onRetry={head.reload} />}
      </ViewerFrame>
    );
  }
  const byBytes = kindOfBytes(head.value.subarray(0, HEAD_BYTES));
  return (
    <Inside
      shown={shown}
      compact={compact}
      name={name}
      kind={kindInside(name, byBytes)}
      head={head.value}
    />
  );
}

/** By its bytes what is no text; of text the name says more. */
function kindInside(name: string, byBytes: ViewerKind): ViewerKind {
  if (byBytes !== 'text') return byBytes;
  return kindOf(name, null) === 'table' ? 'table' : 'text';
}

type InsideProps = ViewProps & {
  readonly name: string;
  readonly kind: ViewerKind;
  readonly head: Uint8Array;
};

function Inside({ shown, compact, name, kind, head }: InsideProps) {
  const source = useMemo(() => gunzipSource(shown.source), [shown.source]);
  if (kind === 'tar') return <TarOf shown={shown} compact={compact} source={source} />;
  if (kind === 'table') {
    const open = (pageBytes: number) => gunzipPages(shown.source, pageBytes);
    return <RowsView shown={{ ...shown, name }} compact={compact} open={open} />;
  }
  if (kind === 'text') return <TextInside shown={shown} compact={compact} name={name} />;
  const inside: Shown = { name, contentType: null, source: memorySource(head), object: null };
  return <HexView shown={inside} compact={compact} />;
}

type TextProps = ViewProps & { readonly name: string };

function TextInside({ shown, compact, name }: TextProps) {
  const texts = t().viewers.archive;
  const [tail, setTail] = useState<string | null>(null);
  const [readBytes, setReadBytes] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const stop = useRef(new AbortController());
  const total = bytes(shown.source.sizeBytes);
  const open = () => gunzipPages(shown.source, compact ? COMPACT_BYTES : PAGE_BYTES);

  async function readEnd(): Promise<void> {
    stop.current = new AbortController();
    const { signal } = stop.current;
    const pages = gunzipPages(shown.source, PAGE_BYTES);
    const decoder = createDecoder();
    let text = '';
    setError(null);
    try {
      for (;;) {
        const page = await pages.next(signal);
        if (signal.aborted) return setReadBytes(null);
        setReadBytes(pages.readBytes());
        if (page === null) break;
        text = lastLines(text + decoder.decode(page, false), TAIL_LINES + 1).slice(-PAGE_BYTES);
      }
      setTail(lastLines(text, TAIL_LINES));
    } catch (cause) {
      setError(cause);
    }
    setReadBytes(null);
  }
  if (tail !== null) {
    return (
      <ViewerFrame
        compact={compact}
        tools={<Button label={t().viewers.log.fromStart} onClick={() => setTail(null)} />}
      >
        <div class="viewer-scroll">
          <CodeView text={tail} name={name} isWrapped hasLinks={false} />
        </div>
        <div class="status-line">{texts.last(tail.split('\n').length)}</div>
      </ViewerFrame>
    );
  }
  return (
    <>
      <PagedText shown={shown} compact={compact} open={open} onEdit={null} name={name} />
      {!compact && (
        <div class="status-line">
          {readBytes === null ? (
            <>
              <span>{texts.tailNeedsAll(total)}</span>
              <span class="gap" />
              <Button icon={ListEnd} label={texts.readAll(total)} onClick={() => void readEnd()} />
            </>
          ) : (
            <>
              <span>{texts.reading(bytes(readBytes), total)}</span>
              <span class="grow">
                <LoadLine label={texts.readAll(total)} now={readBytes / shown.source.sizeBytes} />
              </span>
              <Button icon={Square} label={texts.stop} onClick={() => stop.current.abort()} />
            </>
          )}
        </div>
      )}
      {error !== null && <InlineError text={errorLine(error)} />}
    </>
  );
}
