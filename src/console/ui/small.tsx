// Small pieces that stand everywhere: measures, names, lines, notes, empty states.
import { CircleAlert, type IconNode, TriangleAlert } from 'lucide';
import type { ComponentChildren } from 'preact';
import { bytesParts, exactCount, exactTime, time } from '../i18n/format.ts';
import { t } from '../i18n/i18n.ts';
import { Icon } from './icon.tsx';

/** Characters that stay at the end of a name that is cut. */
const TAIL_LENGTH = 14;

/** A name that is cut in its middle where it is too long; the whole is its tooltip. */
export function Name({ text }: { readonly text: string }) {
  const tail = text.slice(-TAIL_LENGTH);
  if (text.length <= TAIL_LENGTH * 2) {
    return (
      <span class="text cut" title={text}>
        <bdi>{text}</bdi>
      </span>
    );
  }
  return (
    <span class="text middle-cut" title={text}>
      <bdi>{text.slice(0, -TAIL_LENGTH)}</bdi>
      <bdi>{tail}</bdi>
    </span>
  );
}

/** `8.41 MB`, the unit quieter; the exact bytes are its tooltip. */
export function Bytes({ value }: { readonly value: number | string }) {
  const { value: number, unit } = bytesParts(value);
  return (
    <span title={`${exactCount(value)} B`}>
      {number}
      <span class="unit">{unit}</span>
    </span>
  );
}

/** `Today 11:42`; seconds and zone are its tooltip. */
export function Time({ at }: { readonly at: string | number }) {
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={exactTime(at)}>
      {time(at, t().units)}
    </time>
  );
}

type LoadLineProps = {
  /** What it measures, for readers. */
  readonly label: string;
  /** Now, as a part of the limit: 0 to 1. */
  readonly now: number;
  /** What it comes to. */
  readonly forecast?: number;
  /** Where notice is given. */
  readonly alert?: number | undefined;
  readonly hasLimit?: boolean;
  readonly isThin?: boolean;
  readonly isFailed?: boolean;
  readonly isDone?: boolean;
};

const percentOf = (part: number) => `${Math.min(100, Math.max(0, part * 100)).toFixed(1)}%`;

/** The one measure: fill is now, pale the forecast, marks are alert and limit. */
export function LoadLine(props: LoadLineProps) {
  const { label, now, forecast, alert, hasLimit = false, isThin = false } = props;
  const isFull = props.isFailed === true || (hasLimit && now >= 1);
  const isAlerted = alert !== undefined && now >= alert;
  const tone = isFull ? 'bad' : isAlerted ? 'open' : props.isDone === true ? 'ok' : undefined;
  return (
    <div
      class={isThin ? 'load-line thin' : 'load-line'}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(Math.min(1, now) * 100)}
    >
      {forecast !== undefined && <i class="soft" style={{ width: percentOf(forecast) }} />}
      <i class={tone} style={{ width: percentOf(now) }} />
      {alert !== undefined && <u class="thin" style={{ left: percentOf(alert) }} />}
      {hasLimit && <u style={{ left: '100%' }} />}
    </div>
  );
}

type PlainProps = { readonly tone?: 'open' | 'lose'; readonly children: ComponentChildren };

/** The effect of a form in one sentence. */
export function PlainWords({ tone, children }: PlainProps) {
  return <p class={tone === undefined ? 'plain' : `plain ${tone}`}>{children}</p>;
}

type NoteProps = { readonly icon?: IconNode; readonly children: ComponentChildren };

/** A yellow note: take notice. */
export function Note({ icon = TriangleAlert, children }: NoteProps) {
  return (
    <div class="note">
      <Icon of={icon} />
      <div class="grow">{children}</div>
    </div>
  );
}

type EmptyProps = {
  readonly icon: IconNode;
  /** What is missing. */
  readonly title: string;
  /** How it comes here. */
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
};

export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <Icon of={icon} />
      <b>{title}</b>
      {children !== undefined && <span>{children}</span>}
      {action}
    </div>
  );
}

/** A line in the place of a text that is still being read. */
export function Skeleton({ width }: { readonly width: number }) {
  return <span class="skeleton" style={{ width: `${width}px` }} aria-hidden="true" />;
}

/** The yellow square of what everyone may read. */
export function ReadBy({ readers }: { readonly readers: 'everyone' | 'part' | null }) {
  if (readers === null) return null;
  const { everyone, everyonePart } = t().units;
  return (
    <span class={readers === 'part' ? 'open-to part' : 'open-to'}>
      {readers === 'part' ? everyonePart : everyone}
    </span>
  );
}

/** What went wrong, beside what it concerns. */
export function InlineError({ text }: { readonly text: string }) {
  return (
    <div class="field-error" role="alert">
      <Icon of={CircleAlert} small />
      <span>{text}</span>
    </div>
  );
}
