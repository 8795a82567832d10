// Two pictures side by side, or one over the other with an edge that is moved.
import { useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { nameOf } from '../browse/selection.ts';
import { bytesUrl, type ObjectAddress } from '../viewers/bytes.ts';
import { useLoaded } from '../viewers/frame.tsx';

type ImagesProps = { readonly left: ObjectAddress; readonly right: ObjectAddress };

export default function ImagesDiff({ left, right }: ImagesProps) {
  const texts = t().viewers.compare;
  const [isSwipe, setSwipe] = useState(false);
  const [edge, setEdge] = useState(50);
  const urls = useLoaded(() => Promise.all([bytesUrl(left), bytesUrl(right)]), [left, right]);
  if (urls.error !== null) return <Failure error={urls.error} onRetry={urls.reload} />;
  const [one, other] = urls.value ?? [];
  return (
    <>
      <div class="segments">
        <Button label={texts.sideBySide} pressed={!isSwipe} onClick={() => setSwipe(false)} />
        <Button label={texts.swipe} pressed={isSwipe} onClick={() => setSwipe(true)} />
      </div>
      {isSwipe && (
        <input
          type="range"
          min={0}
          max={100}
          value={edge}
          aria-label={texts.swipeLabel}
          onInput={(event) => setEdge(event.currentTarget.valueAsNumber)}
        />
      )}
      <div class={isSwipe ? 'images-diff is-swipe' : 'images-diff'}>
        <img src={one} alt={nameOf(left.key)} />
        <img
          src={other}
          alt={nameOf(right.key)}
          style={isSwipe ? { clipPath: `inset(0 0 0 ${edge}%)` } : {}}
        />
      </div>
    </>
  );
}
