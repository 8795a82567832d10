// Quick look: the content of one object in a dialog, opened with Space in a list.
// Arrows walk the list of whoever opened it; Space and Esc close, Enter opens.
import { ArrowLeft, ArrowRight, ExternalLink } from 'lucide';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { navigate, objectPath } from '../../app/router.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Name } from '../../ui/small.tsx';
import { nameOf } from '../browse/selection.ts';
import { Viewer } from './viewer.tsx';

export type QuickLookProps = {
  readonly bucket: string;
  readonly objectKey: string;
  readonly onClose: () => void;
  /** Goes to the next (1) or the one before (-1); absent: there is no list. */
  readonly onWalk?: ((step: 1 | -1) => void) | undefined;
};

const WIDTH_PX = 960;
/** Keys that belong to what has the focus: fields, players, parts that scroll. */
const HAS_OWN_KEYS = 'input, textarea, select, video, audio, [role=region]';

export default function QuickLook({ bucket, objectKey: key, onClose, onWalk }: QuickLookProps) {
  const texts = t().object;
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.focus(), []);
  const open = () => {
    onClose();
    navigate(objectPath(bucket, key));
  };
  const walk = (event: KeyboardEvent) => {
    const target = event.target as Element;
    if (target.closest(HAS_OWN_KEYS) !== null) return;
    const isOnButton = target.closest('button, a') !== null;
    const isForward = event.key === 'ArrowRight' || event.key === 'ArrowDown';
    if (event.key.startsWith('Arrow')) onWalk?.(isForward ? 1 : -1);
    else if (event.key === ' ' && !isOnButton) onClose();
    else if (event.key === 'Enter' && !isOnButton) open();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Dialog
      title={<Name text={nameOf(key)} />}
      width={WIDTH_PX}
      onClose={onClose}
      actions={
        <>
          {onWalk !== undefined && (
            <>
              <Button
                icon={ArrowLeft}
                iconOnly
                label={texts.previous}
                keys="←"
                onClick={() => onWalk(-1)}
              />
              <Button
                icon={ArrowRight}
                iconOnly
                label={texts.next}
                keys="→"
                onClick={() => onWalk(1)}
              />
            </>
          )}
          <span class="gap" />
          <Button
            kind="primary"
            icon={ExternalLink}
            label={t().viewers.quickLook.open}
            keys="↵"
            onClick={open}
          />
        </>
      }
    >
      <div class="quick-look" onKeyDown={walk} tabIndex={-1} ref={place}>
        <Viewer key={key} bucket={bucket} objectKey={key} compact />
      </div>
    </Dialog>
  );
}
