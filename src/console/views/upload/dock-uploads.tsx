// What is sent, in the dock: one line when it is folded, else with the list of files.
import {
  ChevronDown,
  ChevronUp,
  Ellipsis,
  FileCheck,
  Pause,
  Play,
  RotateCw,
  Upload,
  WifiOff,
  X,
} from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { withPart } from '../../app/lazy.tsx';
import { bytes, count, duration, percent } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { openMenu } from '../../ui/open-menu.tsx';
import { LoadLine } from '../../ui/small.tsx';
import { lastPrice } from './bring-in.ts';
import DockList from './dock-list.tsx';
import { priceWords } from './plan/price-words.ts';
import { isRemembering } from './resume/keep.ts';
import {
  cancelUploads,
  closeUploads,
  isFolded,
  isWaitingForLine,
  openCount,
  pauseUploads,
  resumeUploads,
  retryUploads,
  snapshot,
  speed,
  targets,
} from './send/upload-store.ts';

const proof = () => import('./send/proof.ts');

/** Where the batch stands, with its list of files unless that is folded. */
export default function Uploads() {
  const { totals } = snapshot.value;
  const { states, sizeBytes, sentBytes } = totals;
  const isOver = openCount.value === 0;
  // Bytes say how far it is; empty files alone have none.
  const all = totals.files - states.cancelled;
  const part = sizeBytes > 0 ? sentBytes / sizeBytes : states.done / Math.max(1, all);
  return (
    <>
      <Head part={part} isOver={isOver} all={all} />
      <LoadLine
        label={t().upload.progress}
        now={isOver && states.failed === 0 ? 1 : part}
        isThin
        isDone={isOver && states.failed === 0}
      />
      {!isFolded.value && <DockList />}
      <Spoken />
    </>
  );
}

/** `raw`, the name of the bucket, or how many folders. */
function targetName(): string {
  const [first, ...others] = targets.value;
  if (first === undefined || others.length > 0) {
    return t().upload.folders(targets.value.length);
  }
  return first.prefix.split('/').at(-2) ?? first.bucket;
}

type HeadProps = { readonly part: number; readonly isOver: boolean; readonly all: number };

function Head({ part, isOver, all }: HeadProps) {
  const texts = t().upload;
  const { states } = snapshot.value.totals;
  return (
    <div class="head">
      <Icon of={isWaitingForLine.value ? WifiOff : Upload} />
      <span class="cut">
        {isOver ? texts.uploadedTo : texts.uploadingTo} <b>{targetName()}</b>
      </span>
      <span class="cut grow dim dock-facts">
        <span class="wide">{factsOf(all)}</span>
        <span class="narrow">{percent(part)}</span>
      </span>
      {states.failed > 0 && <span class="failed-count">{texts.failed(states.failed)}</span>}
      {states.failed > 0 && <Button label={texts.retryThese} onClick={() => retryUploads()} />}
      <Verbs isOver={isOver} />
    </div>
  );
}

/** `6,412 of 10,000 · 38.4 MB/s · 4 min left` */
function factsOf(all: number): string {
  const texts = t().upload;
  const { states, sizeBytes } = snapshot.value.totals;
  const { bytesPerSecond, secondsLeft } = speed.value;
  const facts = [texts.ofTotal(count(states.done), count(all))];
  if (isWaitingForLine.value) facts.push(texts.waitsForLine);
  else if (states.sending > 0) {
    if (bytesPerSecond > 0) facts.push(texts.speed(bytes(Math.round(bytesPerSecond))));
    if (secondsLeft !== null) facts.push(texts.left(duration(secondsLeft)));
  } else if (states.paused > 0) facts.push(texts.paused);
  else facts.push(bytes(sizeBytes));
  if (!isRemembering.value) facts.push(texts.notRemembered);
  const money = lastPrice.value === null ? null : priceWords(lastPrice.value);
  if (money !== null) facts.push(money);
  return facts.join(' · ');
}

function Verbs({ isOver }: { readonly isOver: boolean }) {
  const texts = t().upload;
  const { states } = snapshot.value.totals;
  const isMoving = states.sending + states.waiting > 0;
  return (
    <>
      {isMoving && (
        <Button icon={Pause} iconOnly label={texts.pauseAll} onClick={() => pauseUploads()} />
      )}
      {!isMoving && states.paused > 0 && (
        <Button icon={Play} iconOnly label={texts.resumeAll} onClick={() => resumeUploads()} />
      )}
      <Button
        icon={Ellipsis}
        iconOnly
        label={t().shell.more}
        onClick={(event) => openMenu(event, texts.dock, menuItems(isOver))}
      />
      <Button
        icon={isFolded.value ? ChevronUp : ChevronDown}
        iconOnly
        label={isFolded.value ? texts.unfold : texts.fold}
        expanded={!isFolded.value}
        onClick={() => {
          isFolded.value = !isFolded.value;
        }}
      />
      {isOver && <Button icon={X} iconOnly label={t().shell.close} onClick={closeUploads} />}
    </>
  );
}

function menuItems(isOver: boolean): MenuItem[] {
  const texts = t().upload;
  const items: MenuItem[] = [
    {
      label: texts.saveList,
      icon: FileCheck,
      run: () => withPart(proof, ({ saveProof }) => saveProof(snapshot.value.items)),
    },
  ];
  if (snapshot.value.totals.states.failed > 0) {
    items.unshift({ label: texts.retryThese, icon: RotateCw, run: () => retryUploads() });
  }
  if (!isOver) {
    const run = () => void cancelUploads();
    items.push('rule', { label: texts.cancelAll, icon: X, isDanger: true, run });
  }
  return items;
}

/** Shortest time between two announcements, milliseconds. */
const SAY_EVERY_MS = 5000;

/** Says politely where it stands: at the beginning, in quarters, when a file fails, at the end. */
function Spoken() {
  const { totals } = snapshot.value;
  const { states } = totals;
  const all = totals.files - states.cancelled;
  const isOver = openCount.value === 0;
  const quarter = all === 0 ? 0 : Math.floor((4 * states.done) / all);
  const [said, setSaid] = useState('');
  const saidAtMs = useRef(0);
  useEffect(() => {
    const say = () => {
      saidAtMs.current = performance.now();
      setSaid(
        [
          `${isOver ? t().upload.uploadedTo : t().upload.uploadingTo} ${targetName()}`,
          t().upload.ofTotal(count(states.done), count(all)),
          ...(states.failed > 0 ? [t().upload.failed(states.failed)] : []),
        ].join(', '),
      );
    };
    const waitMs = isOver ? 0 : SAY_EVERY_MS - (performance.now() - saidAtMs.current);
    const timer = setTimeout(say, Math.max(0, waitMs));
    return () => clearTimeout(timer);
  }, [quarter, isOver, states.failed]);
  return (
    <div class="visually-hidden" role="status">
      {said}
    </div>
  );
}
