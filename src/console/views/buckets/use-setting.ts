// A setting that is changed in a form of its own: what is typed stays until it is
// saved, is saved against the state it was read in, and where somebody else changed
// the same meanwhile both sides are kept to choose from.
import { useState } from 'preact/hooks';
import { QuaysideError } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { t } from '../../i18n/i18n.ts';
import { showToast } from '../../ui/toast.tsx';

export type SettingSource<Whole extends object, Draft> = {
  /** What the server said last; the client knows its ETag. */
  readonly whole: Whole;
  readonly read: (whole: Whole) => Draft;
  /** Saves a draft against the state that `base` was. */
  readonly save: (draft: Draft, base: Whole) => Promise<Whole>;
  readonly reload: () => Promise<Whole>;
  readonly onSaved: (whole: Whole) => void;
};

export type Setting<Draft> = {
  readonly draft: Draft;
  readonly set: (draft: Draft) => void;
  readonly isDirty: boolean;
  readonly isBusy: boolean;
  readonly error: string | null;
  /** What the server says of single fields, by JSON pointers, until something is changed. */
  readonly fieldErrors: QuaysideError['fields'];
  /** What somebody else saved meanwhile; null: nobody did. */
  readonly theirs: { readonly value: Draft } | null;
  readonly submit: () => void;
  readonly reset: () => void;
  readonly takeTheirs: () => void;
  readonly saveMine: () => void;
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const isStale = (error: unknown): boolean => error instanceof QuaysideError && error.status === 412;

export function useSetting<Whole extends object, Draft>(
  source: SettingSource<Whole, Draft>,
): Setting<Draft> {
  const { whole, read, save, reload, onSaved } = source;
  const [edit, setEdit] = useState<{ draft: Draft; base: Whole } | null>(null);
  const [theirs, setTheirs] = useState<Whole | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const base = edit?.base ?? whole;
  const draft = edit === null ? read(whole) : edit.draft;

  /** Saves; where only other settings were changed meanwhile, against the new state. */
  async function write(mine: Draft, from: Whole): Promise<Whole> {
    try {
      return await save(mine, from);
    } catch (cause) {
      if (!isStale(cause)) throw cause;
      const now = await reload();
      if (!isSame(read(now), read(from))) {
        setTheirs(now);
        throw cause;
      }
      return await save(mine, now);
    }
  }

  async function submit(mine: Draft, from: Whole): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    try {
      const saved = await write(mine, from);
      const before = read(from);
      setEdit(null);
      setTheirs(null);
      onSaved(saved);
      showToast({ text: t().buckets.saved, undo: () => void takeBack(before, saved) });
    } catch (cause) {
      setFailure(isStale(cause) ? null : cause);
    }
    setBusy(false);
  }

  async function takeBack(before: Draft, saved: Whole): Promise<void> {
    try {
      onSaved(await write(before, saved));
      setEdit(null);
      showToast({ text: t().access.undone });
    } catch (cause) {
      showToast({ text: errorLine(cause) });
    }
  }

  return {
    draft,
    isDirty: edit !== null && !isSame(draft, read(base)),
    isBusy,
    error: failure === null ? null : errorLine(failure),
    fieldErrors: failure instanceof QuaysideError ? failure.fields : [],
    theirs: theirs === null ? null : { value: read(theirs) },
    set: (next) => {
      setEdit({ draft: next, base });
      setFailure(null);
    },
    submit: () => void submit(draft, base),
    reset: () => {
      setEdit(null);
      setFailure(null);
    },
    takeTheirs: () => {
      if (theirs !== null) onSaved(theirs);
      setEdit(null);
      setTheirs(null);
    },
    saveMine: () => {
      if (theirs !== null) void submit(draft, theirs);
    },
  };
}
