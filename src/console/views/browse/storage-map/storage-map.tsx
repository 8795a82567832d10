// The storage map: folders and objects of a place as areas, by bytes or by count. A
// click or Enter goes into a folder; below the picture the same as a list.
import { Box as BoxIcon, X } from 'lucide';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { client } from '../../../api/client.ts';
import { useQuery } from '../../../api/query.ts';
import { navigate, setQuery } from '../../../app/router.ts';
import { bytes, count, percent } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { Empty, Skeleton } from '../../../ui/small.tsx';
import { addressOf } from '../list/row-cells.tsx';
import { type Entry, nameIn } from '../list/row-list.ts';
import { readFirstPage } from '../list/row-source.ts';
import { shownName } from '../shown-name.ts';
import type { FolderModel } from '../use-folder.ts';
import { type Box, layOut } from './treemap.ts';

type Part = {
  readonly entry: Entry | null;
  readonly name: string;
  readonly bytes: number;
  readonly objects: number;
};
type Measure = 'bytes' | 'objects';

/** Areas that are drawn; smaller ones are one area together. */
const PARTS_MAX = 48;
/** Prefixes of one request for sizes: the API's most. */
const PREFIXES_MAX = 100;
/** Smallest area that has its name in it, pixels. */
const LABEL_MIN_PX = { width: 64, height: 34 };

export default function StorageMap({ folder }: { readonly folder: FolderModel }) {
  const { bucket, prefix } = folder;
  const [measure, setMeasure] = useState<Measure>('bytes');
  const parts = useQuery(`folder ${bucket} ${prefix} map`, (stop) =>
    readParts(bucket, prefix, stop),
  );
  const texts = t().browse;
  const data = parts.data.value;
  const shown = largest(data?.parts ?? [], measure, folder.sums);
  return (
    <div class="list storage-map">
      <div class="map-bar">
        <b>{texts.map}</b>
        <span class="segments" role="group" aria-label={texts.measure}>
          {(['bytes', 'objects'] as const).map((one) => (
            <Button
              key={one}
              label={texts.measures[one]}
              pressed={one === measure}
              onClick={() => setMeasure(one)}
            />
          ))}
        </span>
        <span class="gap" />
        <Button
          icon={X}
          iconOnly
          label={t().shell.close}
          onClick={() => setQuery({ panel: null })}
        />
      </div>
      {parts.error.value !== null && data === null ? (
        <Failure error={parts.error.value} onRetry={parts.reload} />
      ) : data === null ? (
        <Skeleton width={240} />
      ) : shown.length === 0 ? (
        <Empty icon={BoxIcon} title={texts.nothingToMap} />
      ) : (
        <Picture folder={folder} parts={shown} measure={measure} />
      )}
    </div>
  );
}

/** Reads what stands in the folder, with the sizes of its folders. */
async function readParts(bucket: string, prefix: string, stop: AbortSignal) {
  const page = await readFirstPage({ bucket, prefix, sort: 'name', isDescending: false }, stop);
  const prefixes = page.items.flatMap((item) => (item.kind === 'folder' ? [item.prefix] : []));
  const sizes = new Map<string, { bytes: number; objects: number }>();
  for (let from = 0; from < prefixes.length; from += PREFIXES_MAX) {
    const { items } = await client.request('GET /buckets/{bucket}/sizes', {
      path: { bucket },
      query: { prefix: prefixes.slice(from, from + PREFIXES_MAX) },
      signal: stop,
    });
    for (const { prefix: below, bytes: text, objects } of items ?? []) {
      sizes.set(below, { bytes: Number(text), objects });
    }
  }
  const parts = page.items.map((entry): Part => {
    const size = entry.kind === 'folder' ? sizes.get(entry.prefix) : null;
    return {
      entry,
      name: shownName(nameIn(prefix, entry)),
      bytes: entry.kind === 'object' ? Number(entry.size) : (size?.bytes ?? 0),
      objects: entry.kind === 'object' ? 1 : (size?.objects ?? 0),
    };
  });
  return { parts };
}

type Sums = { readonly bytes: string; readonly objects: number } | null;

/** The largest parts; the rest, also what was not listed, is one part at the end. */
function largest(parts: readonly Part[], measure: Measure, sums: Sums): readonly Part[] {
  const sorted = parts
    .filter((part) => part[measure] > 0)
    .toSorted((a, b) => b[measure] - a[measure]);
  const shown = sorted.slice(0, PARTS_MAX);
  const sumOf = (of: Measure) => shown.reduce((total, part) => total + part[of], 0);
  const all = (of: Measure) => parts.reduce((total, part) => total + part[of], 0);
  const rest: Part = {
    entry: null,
    name: t().browse.allElse,
    bytes: Math.max(all('bytes'), Number(sums?.bytes ?? 0)) - sumOf('bytes'),
    objects: Math.max(all('objects'), sums?.objects ?? 0) - sumOf('objects'),
  };
  return rest[measure] > 0 ? [...shown, rest] : shown;
}

type PictureProps = {
  readonly folder: FolderModel;
  readonly parts: readonly Part[];
  readonly measure: Measure;
};

function Picture({ folder, parts, measure }: PictureProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 800, height: 360 });
  const [at, setAt] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const values = parts.map((part) => part[measure]);
  const total = values.reduce((sum, value) => sum + value, 0);
  const boxes = layOut(values, { x: 0, y: 0, ...size });
  const said = (part: Part) => {
    const objects = t().units.objects(part.objects, count(part.objects));
    const amount = measure === 'bytes' ? bytes(part.bytes) : objects;
    return `${part.name} ${amount}, ${percent(part[measure] / total)}`;
  };
  const open = ({ entry }: Part) => {
    if (entry === null) return;
    const panel =
      entry.kind === 'folder'
        ? (n: string) => `${n}${n.includes('?') ? '&' : '?'}panel=map`
        : (n: string) => n;
    navigate(panel(addressOf(folder.bucket, entry)));
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (at + step + parts.length) % parts.length;
    setAt(next);
    ref.current?.querySelectorAll<SVGGElement>('[data-part]')[next]?.focus();
  };
  return (
    <div ref={ref} class="map-picture">
      <svg
        viewBox={`0 0 ${size.width} ${size.height}`}
        role="listbox"
        aria-label={t().browse.map}
        onKeyDown={move}
      >
        {parts.map((part, index) => (
          <g
            key={part.name}
            data-part={index}
            role="option"
            aria-selected={index === at}
            aria-label={said(part)}
            tabIndex={index === at ? 0 : -1}
            class={part.entry === null ? 'part rest' : `part ${part.entry.kind}`}
            onFocus={() => setAt(index)}
            onClick={() => open(part)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return;
              event.preventDefault();
              open(part);
            }}
          >
            <title>{said(part)}</title>
            <PartBox box={boxes[index]} part={part} measure={measure} />
          </g>
        ))}
      </svg>
    </div>
  );
}

type PartBoxProps = {
  readonly box: Box | undefined;
  readonly part: Part;
  readonly measure: Measure;
};

function PartBox({ box, part, measure }: PartBoxProps) {
  if (box === undefined) return null;
  const { x, y, width, height } = box;
  const hasLabel = width >= LABEL_MIN_PX.width && height >= LABEL_MIN_PX.height;
  return (
    <>
      <rect x={x + 1} y={y + 1} width={Math.max(0, width - 2)} height={Math.max(0, height - 2)} />
      {hasLabel && (
        // It cuts what is too long: the text itself stays what the part is called.
        <svg x={x + 8} y={y} width={width - 16} height={height}>
          <text y={18} class="part-name">
            {part.name}
          </text>{' '}
          <text y={33} class="part-size">
            {measure === 'bytes' ? bytes(part.bytes) : count(part.objects)}
          </text>
        </svg>
      )}
    </>
  );
}
