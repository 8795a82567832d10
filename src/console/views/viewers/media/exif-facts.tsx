// What the camera wrote into a picture, under it. The place is shown on demand: it
// may be somebody's home.
import { MapPin } from 'lucide';
import { useState } from 'preact/hooks';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { useLoaded } from '../frame.tsx';
import type { Shown } from '../shown.ts';
import type { Exif } from './exif.ts';

type ExifProps = {
  readonly shown: Shown;
  readonly read: (shown: Shown, signal: AbortSignal) => Promise<Exif | null>;
};

export function ExifFacts({ shown, read }: ExifProps) {
  const texts = t().viewers.image;
  const exif = useLoaded(
    (signal) => read(shown, signal).then((found) => ({ found })),
    [shown.name],
  );
  const [hasPlace, setPlace] = useState(false);
  if (exif.error !== null) return <Failure error={exif.error} onRetry={exif.reload} />;
  if (exif.value === null) return null;
  const { found } = exif.value;
  if (found === null) return <p class="viewer-facts dim">{texts.noFacts}</p>;
  const { camera, takenAt, exposure, place } = found;
  const rows = [
    [texts.camera, camera],
    [texts.takenAt, takenAt],
    [texts.exposure, exposure],
  ] as const;
  return (
    <dl class="facts viewer-facts">
      {rows.map(
        ([label, value]) => value !== null && <Fact key={label} label={label} value={value} />,
      )}
      <dt>{texts.place}</dt>
      <dd>
        {place === null && texts.noPlace}
        {place !== null && hasPlace && (
          <span class="mono">{`${place.latitude.toFixed(5)}, ${place.longitude.toFixed(5)}`}</span>
        )}
        {place !== null && !hasPlace && (
          <Button icon={MapPin} label={texts.showPlace} onClick={() => setPlace(true)} />
        )}
      </dd>
    </dl>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </>
  );
}
