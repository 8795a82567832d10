// The files of the dock: what moves first, then what failed, then the rest. Only the
// rows that are seen are drawn, so that 100,000 of them cost no more than twenty.
import { CircleAlert, CircleCheck, File as FileIcon, Pause, Play, X } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ItemState, QueueItem } from 'quayside/client';
import { href, objectPath } from '../../app/router.ts';
import { percent } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Bytes, LoadLine, Name } from '../../ui/small.tsx';
import { describeFailure } from './send/describe-failure.ts';
import { cancelUploads, pauseUploads, resumeUploads, snapshot } from './send/upload-store.ts';

/** Heights of a row, pixels; styles/upload.css has them too. */
const ROW_PX = 28;
const TOUCH_ROW_PX = 44;
/** Rows that are drawn above and below what is seen. */
const SPARE_ROWS = 6;

const ORDER: readonly ItemState[] = [
  'sending',
  'failed',
  'paused',
  'waiting',
  'needs-file',
  'done',
  'cancelled',
];

/** The items by their states, in the order of the list; linear. */
export function inOrder(items: readonly QueueItem[]): readonly QueueItem[] {
  const groups = new Map<ItemState, QueueItem[]>(ORDER.map((state) => [state, []]));
  for (const item of items) groups.get(item.state)?.push(item);
  return [...groups.values()].flat();
}

export default function DockList() {
  const ref = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 0 });
  const rowPx = matchMedia('(max-width: 719px)').matches ? TOUCH_ROW_PX : ROW_PX;
  const items = inOrder(snapshot.value.items);
  const read = () => {
    const { scrollTop: top = 0, clientHeight: height = 0 } = ref.current ?? {};
    setView({ top, height });
  };
  useEffect(() => {
    const list = ref.current;
    if (list === null) return;
    read();
    const observer = new ResizeObserver(read);
    observer.observe(list);
    return () => observer.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(view.top / rowPx) - SPARE_ROWS);
  const last = Math.ceil((view.top + view.height) / rowPx) + SPARE_ROWS;
  const shown = items.slice(first, last);
  return (
    <div ref={ref} class="dock-list" role="list" aria-label={t().upload.files} onScroll={read}>
      <div style={{ height: `${items.length * rowPx}px` }}>
        <div style={{ transform: `translateY(${first * rowPx}px)` }}>
          {shown.map((item, at) => (
            <UploadRow key={item.id} item={item} position={first + at + 1} total={items.length} />
          ))}
        </div>
      </div>
    </div>
  );
}

type RowProps = {
  readonly item: QueueItem;
  readonly position: number;
  readonly total: number;
};

function UploadRow({ item, position, total }: RowProps) {
  const isFailed = item.state === 'failed';
  const icon = isFailed ? CircleAlert : item.state === 'done' ? CircleCheck : FileIcon;
  return (
    <div
      class={`upload-row ${isFailed ? 'bad' : item.state}`}
      role="listitem"
      aria-posinset={position}
      aria-setsize={total}
    >
      <Icon of={icon} />
      {item.state === 'done' ? (
        <a href={href(objectPath(item.bucket, item.key))} class="cut">
          <Name text={item.path} />
        </a>
      ) : (
        <Name text={item.path} />
      )}
      {isFailed ? <FailedCells item={item} /> : <StateCells item={item} />}
    </div>
  );
}

function StateCells({ item }: { readonly item: QueueItem }) {
  const texts = t().upload;
  const { state, sizeBytes, sentBytes } = item;
  const part = sizeBytes > 0 ? sentBytes / sizeBytes : 0;
  const isStill = state === 'waiting' || state === 'paused';
  return (
    <>
      <span class="number">
        <Bytes value={sizeBytes} />
      </span>
      <span class="state">
        {state === 'sending' ? (
          <>
            <LoadLine label={item.path} now={part} isThin />
            <span class="part">{percent(part)}</span>
          </>
        ) : (
          texts.states[state]
        )}
      </span>
      <span class="verbs">
        {state === 'paused' ? (
          <Verb icon={Play} label={texts.resume(item.path)} run={() => resumeUploads([item.id])} />
        ) : (
          (state === 'sending' || state === 'waiting') && (
            <Verb icon={Pause} label={texts.pause(item.path)} run={() => pauseUploads([item.id])} />
          )
        )}
        {(state === 'sending' || isStill) && (
          <Verb
            icon={X}
            label={texts.cancel(item.path)}
            run={() => void cancelUploads([item.id])}
          />
        )}
      </span>
    </>
  );
}

type VerbProps = {
  readonly icon: typeof X;
  readonly label: string;
  readonly run: () => void;
};

const Verb = ({ icon, label, run }: VerbProps) => (
  <Button icon={icon} iconOnly label={label} onClick={run} />
);

function FailedCells({ item }: { readonly item: QueueItem }) {
  const { why, remedies } = describeFailure(item);
  return (
    <>
      <span class="why cut" title={why}>
        {why}
      </span>
      <span class="verbs">
        {remedies.map(({ label, run }) => (
          <Button key={label} label={label} onClick={run} />
        ))}
        <Verb
          icon={X}
          label={t().upload.cancel(item.path)}
          run={() => void cancelUploads([item.id])}
        />
      </span>
    </>
  );
}
