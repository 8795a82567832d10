// Fields that a setting has many of: rows that are added and taken away, lists that are
// written one a line.
import { Plus, Trash } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';

type RowsProps<Row> = {
  readonly rows: readonly Row[];
  readonly onChange: (rows: readonly Row[]) => void;
  /** The row that adding begins with. */
  readonly blank: Row;
  /** What a row is called, by its number from 1. */
  readonly name: (number: string) => string;
  readonly addLabel: string;
  readonly children: (
    row: Row,
    change: (part: Partial<Row>) => void,
    index: number,
  ) => ComponentChildren;
};

/** Rows with what adds and removes them. The focus goes to what was added, else to what is next. */
export function FormRows<Row extends object>(props: RowsProps<Row>) {
  const { rows, onChange, blank, name, addLabel, children } = props;
  const list = useRef<HTMLDivElement>(null);
  const focusOn = useRef<{ readonly row: number; readonly selector: string } | null>(null);
  useLayoutEffect(() => {
    const target = focusOn.current;
    if (target === null) return;
    focusOn.current = null;
    const items = list.current?.children ?? [];
    // Behind the rows is the button that adds one.
    const item = items[Math.min(target.row, items.length - 1)];
    (item?.querySelector<HTMLElement>(target.selector) ?? item?.querySelector('button'))?.focus();
  }, [rows.length]);

  function remove(index: number): void {
    focusOn.current = { row: index, selector: '.remove-row button' };
    onChange(rows.filter((_, at) => at !== index));
  }
  return (
    <div ref={list} class="form-rows">
      {rows.map((row, index) => {
        const words = name(count(index + 1));
        const change = (part: Partial<Row>) =>
          onChange(rows.map((one, at) => (at === index ? { ...one, ...part } : one)));
        return (
          <fieldset key={index} class="form-row">
            <legend>{words}</legend>
            <span class="remove-row">
              <Button
                icon={Trash}
                iconOnly
                label={t().buckets.website.remove(words)}
                onClick={() => remove(index)}
              />
            </span>
            {children(row, change, index)}
          </fieldset>
        );
      })}
      <div>
        <Button
          kind="secondary"
          icon={Plus}
          label={addLabel}
          onClick={() => {
            focusOn.current = { row: rows.length, selector: 'input, textarea' };
            onChange([...rows, blank]);
          }}
        />
      </div>
    </div>
  );
}

/** Lines of a list that are shown without scrolling. */
const LINES_MIN = 2;
const LINES_MAX = 6;

const itemsOf = (text: string): readonly string[] =>
  text
    .split(/[\n,]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');

type ListProps = {
  readonly label: string;
  readonly hint: string;
  readonly error: string | null;
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
};

/** A list of texts, one a line. */
export function ListField({ label, hint, error, value, onChange }: ListProps) {
  const [typed, setTyped] = useState('');
  // What is typed has ends of lines that the list has not.
  const isTyped = itemsOf(typed).join('\n') === value.join('\n');
  const text = isTyped ? typed : value.join('\n');
  return (
    <Field label={label} hint={hint} error={error}>
      {({ id, describedBy, isInvalid }) => (
        <textarea
          id={id}
          class="input json"
          value={text}
          rows={Math.min(LINES_MAX, Math.max(LINES_MIN, text.split('\n').length))}
          spellcheck={false}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            onChange([...itemsOf(currentTarget.value)]);
          }}
        />
      )}
    </Field>
  );
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether it is such an object, with these members alone, each undefined, null or of its kind. */
export function hasShape(value: unknown, kinds: Readonly<Record<string, string>>): boolean {
  return (
    isRecord(value) &&
    Object.entries(value).every(([name, member]) => {
      const kind = kinds[name];
      if (kind === 'texts') return isTexts(member);
      return kind !== undefined && (member === null || kind === 'any' || typeof member === kind);
    })
  );
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** What an empty field stands for. */
export const orNull = (text: string): string | null => (text === '' ? null : text);
