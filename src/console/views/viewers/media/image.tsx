// Pictures: fit, zoom at the pointer, drag, rotate, and what the camera wrote. Very
// large ones are loaded on demand; until then the small picture inside them stands.
import { Info, Minus, Pipette, Plus, RotateCw } from 'lucide';
import type { RefObject } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { type Command, useCommands } from '../../../app/commands.ts';
import { bytes, count } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy.ts';
import { Failure } from '../../../ui/failure.tsx';
import { bytesUrl } from '../bytes.ts';
import { Measured, useLoaded, ViewerFrame } from '../frame.tsx';
import type { Shown, ViewProps } from '../shown.ts';
import { EXIF_BYTES, type Exif, readExif } from './exif.ts';
import { ExifFacts } from './exif-facts.tsx';

/** Pictures above this are loaded on demand, bytes. */
const AT_ONCE_MAX_BYTES = 25_000_000;
/**
 * Pixels that are decoded at once: each takes 4 bytes of memory, so these take 256 MB.
 * A file of 100 KB may have a thousand million.
 */
const AT_ONCE_MAX_PIXELS = 64_000_000;
const ZOOM_STEP = 1.5;
const ZOOM_MAX = 16;
const ZOOM_MIN = 0.05;

/** An address of the picture: of the object, or of bytes in memory. */
async function pictureUrl(shown: Shown, signal: AbortSignal): Promise<string> {
  if (shown.object !== null) return bytesUrl(shown.object);
  const { source, contentType } = shown;
  const whole = await source.read(0, source.sizeBytes, signal);
  const url = URL.createObjectURL(
    new Blob([whole as Uint8Array<ArrayBuffer>], { type: contentType ?? 'image/*' }),
  );
  signal.addEventListener('abort', () => URL.revokeObjectURL(url));
  return url;
}

export default function ImageView({ shown, compact }: ViewProps) {
  const isHuge = shown.source.sizeBytes > AT_ONCE_MAX_BYTES;
  const [isWanted, setWanted] = useState(!isHuge);
  /** What it measures, where it is too large to be decoded unasked: `30,000 × 30,000`. */
  const [measure, setMeasure] = useState<string | null>(null);
  const [isDecoded, setDecoded] = useState(false);
  const url = useLoaded(
    (signal) => (isWanted ? pictureUrl(shown, signal) : Promise.resolve(null)),
    [shown.name, isWanted],
  );
  if (url.error !== null) {
    return (
      <ViewerFrame compact={compact}>
        <Failure error={url.error} onRetry={url.reload} />
      </ViewerFrame>
    );
  }
  if (!isWanted) {
    const size = bytes(shown.source.sizeBytes);
    const load = () => setWanted(true);
    return <HugePicture shown={shown} compact={compact} size={size} onLoad={load} />;
  }
  if (measure !== null && !isDecoded) {
    const load = () => setDecoded(true);
    return <HugePicture shown={shown} compact={compact} size={measure} onLoad={load} />;
  }
  const onHuge = isDecoded ? null : setMeasure;
  return <Picture shown={shown} compact={compact} url={url.value} onHuge={onHuge} />;
}

const readFacts = async (shown: Shown, signal: AbortSignal): Promise<Exif | null> =>
  readExif(await shown.source.read(0, Math.min(EXIF_BYTES, shown.source.sizeBytes), signal));

type HugeProps = ViewProps & { readonly size: string; readonly onLoad: () => void };

function HugePicture({ shown, compact, size, onLoad }: HugeProps) {
  const texts = t().viewers.image;
  const exif = useLoaded((signal) => readFacts(shown, signal), [shown.name]);
  const [small, setSmall] = useState<string | null>(null);
  const thumbnail = exif.value?.thumbnail ?? null;
  useEffect(() => {
    if (thumbnail === null) return;
    const url = URL.createObjectURL(new Blob([thumbnail], { type: 'image/jpeg' }));
    setSmall(url);
    return () => URL.revokeObjectURL(url);
  }, [thumbnail]);
  return (
    <ViewerFrame compact={compact}>
      <div class="stage is-column">
        {small !== null && <img src={small} alt={shown.name} />}
        <p class="dim">{texts.huge(size)}</p>
        <Button kind="secondary" label={texts.loadHuge(size)} onClick={onLoad} />
      </div>
    </ViewerFrame>
  );
}

type Look = {
  /** Pixels of the screen for a pixel of the picture; null: it fits the stage. */
  readonly zoom: number | null;
  /** Quarters of a turn. */
  readonly turns: number;
  readonly x: number;
  readonly y: number;
};

const FIT: Look = { zoom: null, turns: 0, x: 0, y: 0 };
type EyeDropper = { open(): Promise<{ sRGBHex: string }> };

type PictureProps = ViewProps & {
  readonly url: string | null;
  /** Takes the measure of a picture that has too many pixels; null: it is shown so. */
  readonly onHuge: ((measure: string) => void) | null;
};

type Zoom = {
  readonly look: Look;
  readonly setLook: (look: Look) => void;
  /** Makes it larger or smaller around a point, in pixels from the middle of the stage. */
  readonly zoomBy: (factor: number, at?: { readonly x: number; readonly y: number }) => void;
  readonly rotate: () => void;
};

function useZoom(image: RefObject<HTMLImageElement | null>): Zoom {
  const [look, setLook] = useState(FIT);
  /** What the picture is shown at, also where it fits. */
  const zoomNow = (): number => {
    const { naturalWidth = 1 } = image.current ?? {};
    return look.zoom ?? (image.current?.offsetWidth ?? 1) / Math.max(1, naturalWidth);
  };
  const zoomBy: Zoom['zoomBy'] = (factor, at = { x: 0, y: 0 }) => {
    const from = zoomNow();
    const zoom = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, from * factor));
    const grown = zoom / from;
    // The point under the pointer stays where it is.
    const x = at.x - (at.x - look.x) * grown;
    const y = at.y - (at.y - look.y) * grown;
    setLook({ ...look, zoom, x, y });
  };
  const rotate = () => setLook({ ...look, turns: (look.turns + 1) % 4 });
  return { look, setLook, zoomBy, rotate };
}

function zoomCommands({ look, setLook, zoomBy, rotate }: Zoom): readonly Command[] {
  const texts = t().viewers.image;
  const full = { ...look, zoom: 1 };
  const larger = () => zoomBy(ZOOM_STEP);
  const smaller = () => zoomBy(1 / ZOOM_STEP);
  return [
    { id: 'image.larger', label: texts.larger, keys: ['+', '='], run: larger },
    { id: 'image.smaller', label: texts.smaller, keys: ['-'], run: smaller },
    { id: 'image.fit', label: texts.fit, keys: ['0'], run: () => setLook({ ...FIT }) },
    { id: 'image.full', label: texts.full, keys: ['1'], run: () => setLook(full) },
    { id: 'image.rotate', label: texts.rotate, run: rotate },
  ];
}

async function pickColour(): Promise<void> {
  const pick = window as { EyeDropper?: new () => EyeDropper };
  const picked = await new (pick.EyeDropper as new () => EyeDropper)().open().catch(() => null);
  if (picked === null) return;
  await copyText(picked.sRGBHex, t().viewers.image.colourCopied(picked.sRGBHex));
}

type ToolsProps = {
  readonly zoom: Zoom;
  readonly hasFacts: boolean;
  readonly onFacts: () => void;
};

function Tools({ zoom: { look, setLook, zoomBy, rotate }, hasFacts, onFacts }: ToolsProps) {
  const texts = t().viewers.image;
  const isFit = look.zoom === null;
  const other = isFit ? { ...look, zoom: 1 } : { ...FIT, turns: look.turns };
  const smaller = () => zoomBy(1 / ZOOM_STEP);
  const larger = () => zoomBy(ZOOM_STEP);
  const shown = look.zoom === null ? texts.fit : `${Math.round(look.zoom * 100)} %`;
  return (
    <>
      <Button icon={Minus} iconOnly label={texts.smaller} keys="-" onClick={smaller} />
      <Button label={shown} onClick={() => setLook(other)} />
      <Button icon={Plus} iconOnly label={texts.larger} keys="+" onClick={larger} />
      <span class="rule" />
      <Button icon={RotateCw} iconOnly label={texts.rotate} onClick={rotate} />
      {'EyeDropper' in window && (
        <Button
          icon={Pipette}
          iconOnly
          wide
          label={texts.colour}
          onClick={() => void pickColour()}
        />
      )}
      <Button icon={Info} iconOnly label={texts.facts} pressed={hasFacts} onClick={onFacts} />
    </>
  );
}

function Picture({ shown, compact, url, onHuge }: PictureProps) {
  const measured = useContext(Measured);
  const image = useRef<HTMLImageElement>(null);
  const zoom = useZoom(image);
  const { look, setLook, zoomBy } = zoom;
  const [isBroken, setBroken] = useState(false);
  const [hasFacts, setFacts] = useState(false);
  /** Browsers decode what they paint: until its pixels are counted it is not painted. */
  const [isCounted, setCounted] = useState(onHuge === null);
  useCommands(compact ? [] : zoomCommands(zoom));

  const isTurned = look.turns % 2 === 1;
  const transform = `translate(${look.x}px, ${look.y}px) rotate(${look.turns * 90}deg)`;
  const width =
    look.zoom === null ? undefined : `${(image.current?.naturalWidth ?? 0) * look.zoom}px`;
  const onFacts = () => setFacts(!hasFacts);
  return (
    <ViewerFrame
      compact={compact}
      tools={<Tools zoom={zoom} hasFacts={hasFacts} onFacts={onFacts} />}
    >
      <div
        class={look.zoom === null ? 'stage' : 'stage is-zoomed'}
        onWheel={(event) => {
          if (!event.ctrlKey && look.zoom === null) return;
          event.preventDefault();
          const box = event.currentTarget.getBoundingClientRect();
          const x = event.clientX - box.left - box.width / 2;
          const y = event.clientY - box.top - box.height / 2;
          zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2, { x, y });
        }}
        onPointerDown={(event) => {
          if (look.zoom !== null && event.button === 0) drag(event, look, setLook);
        }}
        onDblClick={() => setLook(look.zoom === null ? { ...look, zoom: 1 } : FIT)}
      >
        {isBroken ? (
          <p class="dim">{t().viewers.image.broken}</p>
        ) : (
          url !== null && (
            <img
              ref={image}
              src={url}
              alt={shown.name}
              draggable={false}
              class={isTurned && look.zoom === null ? 'is-turned' : undefined}
              style={{
                transform,
                width,
                maxWidth: width === undefined ? undefined : 'none',
                visibility: isCounted ? undefined : 'hidden',
              }}
              onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
                const measure = `${count(naturalWidth)} × ${count(naturalHeight)}`;
                measured({ measure });
                const isHuge = naturalWidth * naturalHeight > AT_ONCE_MAX_PIXELS;
                if (isHuge && onHuge !== null) onHuge(measure);
                else setCounted(true);
              }}
              onError={() => setBroken(true)}
            />
          )
        )}
      </div>
      {hasFacts && <ExifFacts shown={shown} read={readFacts} />}
    </ViewerFrame>
  );
}

/** Moves the picture with the pointer until it is let go. */
function drag(start: PointerEvent, look: Look, setLook: (look: Look) => void): void {
  const target = start.currentTarget as HTMLElement;
  start.preventDefault();
  target.setPointerCapture(start.pointerId);
  const move = (event: PointerEvent) => {
    const x = look.x + event.clientX - start.clientX;
    const y = look.y + event.clientY - start.clientY;
    setLook({ ...look, x, y });
  };
  const end = () => {
    target.removeEventListener('pointermove', move);
    target.removeEventListener('pointerup', end);
    target.removeEventListener('pointercancel', end);
  };
  target.addEventListener('pointermove', move);
  target.addEventListener('pointerup', end);
  target.addEventListener('pointercancel', end);
}
