// Logs: their last lines first, by a range at the end, and what is added while one
// looks. From the start they are read as any text.

import { ListStart, Radio } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../../../api/client.ts';
import { whenVisible } from '../../../app/visible.ts';
import { exactCount } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { type ByteSource, concat, objectSource } from '../bytes.ts';
import { useLoaded, ViewerFrame } from '../frame.tsx';
import type { ViewProps } from '../shown.ts';
import { CodeView } from './code.tsx';
import { guessEncoding } from './decode.ts';
import TextView from './text.tsx';

/** Lines at the end that are shown. */
export const TAIL_LINES = 1000;
const COMPACT_LINES = 40;
/** Bytes that are read at once from the end backwards. */
const STEP_BYTES = 128 * 1024;
/** Bytes at the end that are read at most: lines may be very long. */
const TAIL_MAX_BYTES = 1024 * 1024;
/** How often a followed log is looked at, milliseconds. */
const FOLLOW_EVERY_MS = 2000;
/** Characters that a followed log keeps of what was added. */
const FOLLOWED_MAX_LENGTH = 4_000_000;

/** Reads the last lines, backwards in steps until there are enough. */
export async function readTail(
  source: ByteSource,
  lines: number,
  signal: AbortSignal,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let start = source.sizeBytes;
  let text = '';
  while (start > 0 && source.sizeBytes - start < TAIL_MAX_BYTES) {
    const from = Math.max(0, start - STEP_BYTES);
    chunks.unshift(await source.read(from, start - from, signal));
    start = from;
    const bytes = afterFirstLine(concat(chunks), start > 0);
    text = new TextDecoder(guessEncoding(bytes)).decode(bytes);
    if (countBreaks(text) > lines) break;
  }
  return lastLines(text, lines);
}

/** Bytes from the second line on: the first may begin in the middle of a letter. */
function afterFirstLine(bytes: Uint8Array, isCut: boolean): Uint8Array {
  const end = isCut ? bytes.indexOf(10) : -1;
  return bytes.subarray(end + 1);
}

const countBreaks = (text: string): number => text.split('\n').length - 1;

/** The last lines of a text, without the empty one behind its end. */
export function lastLines(text: string, lines: number): string {
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  return all.slice(-lines).join('\n');
}

export default function LogView({ shown, compact }: ViewProps) {
  const texts = t().viewers.log;
  const [isFromStart, setFromStart] = useState(false);
  const [isFollowing, setFollowing] = useState(false);
  const [added, setAdded] = useState('');
  const tail = useLoaded(
    (signal) => readTail(shown.source, compact ? COMPACT_LINES : TAIL_LINES, signal),
    [shown.name, shown.object?.detail.etag],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const text = tail.value === null ? '' : added === '' ? tail.value : `${tail.value}\n${added}`;
  useEffect(() => {
    const element = scroller.current;
    element?.scrollTo(0, element.scrollHeight);
  }, [text]);
  useFollow(shown, isFollowing && tail.value !== null, (more) => {
    setAdded((before) => (before + more).slice(-FOLLOWED_MAX_LENGTH));
  });
  if (isFromStart) {
    return <TextView shown={shown} compact={compact} onRendered={() => setFromStart(false)} />;
  }
  const tools = (
    <>
      <Button icon={ListStart} label={texts.fromStart} wide onClick={() => setFromStart(true)} />
      {shown.object?.detail.isLatest === true && (
        <Button
          icon={Radio}
          label={texts.follow}
          pressed={isFollowing}
          onClick={() => setFollowing(!isFollowing)}
        />
      )}
    </>
  );
  return (
    <ViewerFrame compact={compact} tools={tools}>
      {tail.error !== null && <Failure error={tail.error} onRetry={tail.reload} />}
      <div ref={scroller} class="viewer-scroll">
        {tail.value !== null && (
          <CodeView text={text} name={shown.name} isWrapped hasLinks={false} />
        )}
      </div>
      {!compact && (
        <div class="status-line" role="status">
          <span>
            {isFollowing ? texts.following : texts.last(Math.min(TAIL_LINES, lineCount(text)))}
          </span>
          <span class="gap" />
          <span>{exactCount(shown.source.sizeBytes)} B</span>
        </div>
      )}
    </ViewerFrame>
  );
}

const lineCount = (text: string): number => (text === '' ? 0 : text.split('\n').length);

/** Bytes before the end that must be unchanged for a log to have grown. */
const OVERLAP_BYTES = 64;

/** Looks for more at the end; a log that was begun anew is read from its start. */
function useFollow(shown: ViewProps['shown'], isOn: boolean, onMore: (text: string) => void): void {
  const latest = useRef(onMore);
  latest.current = onMore;
  useEffect(() => {
    const { object } = shown;
    if (!isOn || object === null) return;
    const { bucket, key } = object;
    const controller = new AbortController();
    const { signal } = controller;
    let { etag } = object.detail;
    let sizeBytes = Number(object.detail.size);
    let before = shown.source;
    let timer: ReturnType<typeof setTimeout>;

    async function look(): Promise<void> {
      const detail = await client.request('GET /buckets/{bucket}/object', {
        path: { bucket },
        query: { key },
        signal,
      });
      if (detail.etag === etag) return;
      const { versionId, contentEncoding } = detail;
      const size = Number(detail.size);
      const stored = { bucket, key, versionId, contentEncoding, etag: detail.etag };
      const now = objectSource({ ...stored, sizeBytes: size });
      const from = Math.max(0, sizeBytes - OVERLAP_BYTES);
      const overlap = sizeBytes - from;
      const [old, page] = await Promise.all([
        before.read(from, overlap, signal).catch(() => new Uint8Array()),
        now.read(from, TAIL_MAX_BYTES, signal),
      ]);
      const hasGrown =
        size > sizeBytes &&
        old.length === overlap &&
        old.every((byte, index) => byte === page[index]);
      const text = hasGrown
        ? new TextDecoder().decode(page.subarray(overlap))
        : `${await readTail(now, TAIL_LINES, signal)}\n`;
      if (signal.aborted) return;
      latest.current(text);
      before = now;
      etag = detail.etag;
      sizeBytes = size;
    }
    const again = () => {
      timer = setTimeout(() => {
        // A look that fails is followed by the next: the banner says that the line is gone.
        whenVisible()
          .then(look)
          .catch(() => {})
          .finally(() => {
            if (!signal.aborted) again();
          });
      }, FOLLOW_EVERY_MS);
    };
    again();
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [isOn, shown.name]);
}
