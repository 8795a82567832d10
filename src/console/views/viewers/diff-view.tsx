// Two texts with what differs between them: removed lines, added lines, and a few
// unchanged ones around; the rest is folded.
import { useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { type Diff, type DiffPart, diffLines, linesOf } from './diff.ts';
import { ScrollRegion } from './frame.tsx';

/** Unchanged lines that stand before and after a change. */
const AROUND_LINES = 3;
/** Lines of a part that are shown: more are cut. */
const PART_LINES_MAX = 2000;

type DiffProps = { readonly before: string; readonly after: string; readonly label: string };

export default function DiffView({ before, after, label }: DiffProps) {
  const texts = t().viewers.compare;
  const diff: Diff = diffLines(linesOf(before), linesOf(after));
  if (diff.parts.every(({ kind }) => kind === 'same')) return <p class="dim">{texts.noLines}</p>;
  let left = 1;
  let right = 1;
  const parts = diff.parts.map((part) => {
    const numbered = { part, left, right };
    if (part.kind !== 'added') left += part.lines.length;
    if (part.kind !== 'removed') right += part.lines.length;
    return numbered;
  });
  return (
    <>
      {diff.isCut && <p class="dim">{texts.cut}</p>}
      <ScrollRegion class="diff-view" label={label}>
        {parts.map((numbered, index) => (
          <Part
            key={index}
            {...numbered}
            isFirst={index === 0}
            isLast={index === parts.length - 1}
          />
        ))}
      </ScrollRegion>
    </>
  );
}

type PartProps = {
  readonly part: DiffPart;
  readonly left: number;
  readonly right: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
};

function Part({ part, left, right, isFirst, isLast }: PartProps) {
  const [isOpen, setOpen] = useState(false);
  const { kind, lines } = part;
  const head = isFirst ? 0 : AROUND_LINES;
  const tail = isLast ? 0 : AROUND_LINES;
  const hidden = lines.length - head - tail;
  if (kind !== 'same' || isOpen || hidden <= 1) {
    return <Lines kind={kind} lines={lines.slice(0, PART_LINES_MAX)} left={left} right={right} />;
  }
  const after = lines.length - tail;
  return (
    <>
      <Lines kind={kind} lines={lines.slice(0, head)} left={left} right={right} />
      <div class="diff-fold">
        <Button label={`⋯ ${t().viewers.text.lines(hidden)}`} onClick={() => setOpen(true)} />
      </div>
      <Lines kind={kind} lines={lines.slice(after)} left={left + after} right={right + after} />
    </>
  );
}

type LinesProps = {
  readonly kind: DiffPart['kind'];
  readonly lines: readonly string[];
  readonly left: number;
  readonly right: number;
};

const SIGNS = { same: ' ', removed: '−', added: '+' } as const;

function Lines({ kind, lines, left, right }: LinesProps) {
  const texts = t().viewers.compare;
  const spoken = kind === 'same' ? undefined : texts[kind];
  return (
    <>
      {lines.map((line, index) => (
        <div key={index} class={`diff-line is-${kind}`}>
          <span class="line-number">{kind === 'added' ? '' : left + index}</span>
          <span class="line-number">{kind === 'removed' ? '' : right + index}</span>
          <span class="diff-sign">
            <span aria-hidden="true">{SIGNS[kind]}</span>
            {spoken !== undefined && <span class="visually-hidden">{spoken}</span>}
          </span>
          <code>{line}</code>
        </div>
      ))}
    </>
  );
}
