// Bytes as they are, sixteen a row, by pages: for what no other viewer shows.
import { ChevronLeft, ChevronRight } from 'lucide';
import { useState } from 'preact/hooks';
import { bytes, exactCount } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { ScrollRegion, useLoaded, ViewerFrame } from './frame.tsx';
import type { ViewProps } from './shown.ts';

const ROW_BYTES = 16;
const PAGE_BYTES = 4096;
const COMPACT_BYTES = 256;
const OFFSET_DIGITS = 8;

const hexOf = (byte: number) => byte.toString(16).padStart(2, '0');
const letterOf = (byte: number) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '·');

export default function HexView({ shown, compact }: ViewProps) {
  const texts = t().viewers.hex;
  const { source } = shown;
  const pageBytes = compact ? COMPACT_BYTES : PAGE_BYTES;
  const [offset, setOffset] = useState(0);
  const page = useLoaded(
    (signal) => source.read(offset, pageBytes, signal),
    [shown.name, offset, pageBytes],
  );
  const last = Math.max(0, Math.ceil(source.sizeBytes / pageBytes) - 1) * pageBytes;
  const go = (to: number) => setOffset(Math.min(last, Math.max(0, to)));

  const tools = (
    <>
      <Button
        icon={ChevronLeft}
        iconOnly
        label={texts.before}
        off={offset === 0 ? texts.atStart : null}
        onClick={() => go(offset - pageBytes)}
      />
      <label class="hex-offset">
        <span class="visually-hidden">{texts.offset}</span>
        <input
          class="input mono"
          value={offset.toString(16)}
          aria-label={texts.offset}
          onChange={(event) => {
            const at = Number.parseInt(event.currentTarget.value, 16);
            if (Number.isFinite(at)) go(at - (at % pageBytes));
            event.currentTarget.value = offset.toString(16);
          }}
        />
      </label>
      <Button
        icon={ChevronRight}
        iconOnly
        label={texts.after}
        off={offset >= last ? texts.atEnd : null}
        onClick={() => go(offset + pageBytes)}
      />
    </>
  );
  return (
    <ViewerFrame compact={compact} tools={tools}>
      <p class="viewer-note">
        {texts.unknown(shown.contentType ?? texts.noType, bytes(source.sizeBytes))}
      </p>
      {page.error !== null && <Failure error={page.error} onRetry={page.reload} />}
      <ScrollRegion class="hex-view" label={texts.label(exactCount(offset))}>
        <pre>{page.value === null ? '' : rowsOf(page.value, offset)}</pre>
      </ScrollRegion>
    </ViewerFrame>
  );
}

/** Rows of offset, bytes and letters. */
function rowsOf(page: Uint8Array, offset: number): string {
  const rows: string[] = [];
  for (let at = 0; at < page.length; at += ROW_BYTES) {
    const row = [...page.subarray(at, at + ROW_BYTES)];
    const place = (offset + at).toString(16).padStart(OFFSET_DIGITS, '0');
    const middle = ROW_BYTES / 2;
    const hex = row.map((byte, index) => hexOf(byte) + (index === middle - 1 ? ' ' : '')).join(' ');
    rows.push(`${place}  ${hex.padEnd(ROW_BYTES * 3)}  ${row.map(letterOf).join('')}`);
  }
  return rows.join('\n');
}
