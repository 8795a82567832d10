// Editing a text where it is shown. It is saved only over the state that was read;
// where somebody else saved meanwhile, both are shown with what began them.
import { Save, X } from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ObjectDetail } from 'quayside/client';
import { QuaysideError } from '../../../api/client.ts';
import { errorLine } from '../../../api/describe-error.ts';
import { invalidate } from '../../../api/query.ts';
import { isMac, useCommands } from '../../../app/commands.ts';
import { guardLeaving } from '../../../app/router.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { InlineError } from '../../../ui/small.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { nameOf } from '../../browse/selection.ts';
import { type ObjectAddress, objectSource } from '../bytes.ts';
import { useLoaded, ViewerFrame } from '../frame.tsx';
import { Clash, type Theirs } from './clash.tsx';
import { dropDraft, keepDraft, readDraft } from './draft.ts';
import { type LineEnd, lineEndOf, toPlainLines, withLineEnds } from './line-ends.ts';
import { readCurrent } from './read-current.ts';
import { saveText } from './save-text.ts';

type EditorProps = {
  readonly object: ObjectAddress & { readonly detail: ObjectDetail };
  readonly onClose: () => void;
};

/** How long typing rests before the draft is kept, milliseconds. */
const DRAFT_AFTER_MS = 300;

export default function Editor({ object, onClose }: EditorProps) {
  const { bucket, key, detail } = object;
  const loaded = useLoaded(
    async (signal) => {
      const stored = { ...object, etag: detail.etag, sizeBytes: Number(detail.size) };
      const source = objectSource({ ...stored, contentEncoding: null });
      const bytes = await source.read(0, source.sizeBytes, signal);
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      return { text: toPlainLines(text), lineEnd: lineEndOf(text) };
    },
    [bucket, key, detail.etag],
  );
  if (loaded.error !== null) {
    return (
      <ViewerFrame compact={false}>
        <Failure error={loaded.error} onRetry={loaded.reload} />
      </ViewerFrame>
    );
  }
  if (loaded.value === null) return <ViewerFrame compact={false}>{null}</ViewerFrame>;
  return <TextEditor object={object} {...loaded.value} onClose={onClose} />;
}

/** What the editor's text began from. */
type Base = { readonly etag: string; readonly text: string; readonly detail: ObjectDetail };

type TextEditorProps = EditorProps & { readonly text: string; readonly lineEnd: LineEnd };

/** What is typed, from a draft or from what is stored; kept while it is typed, saved on demand. */
function useEditing({ object, text: stored, lineEnd, onClose }: TextEditorProps) {
  const { bucket, key, detail } = object;
  const texts = t().viewers.edit;
  const [draft] = useState(() => readDraft(bucket, key));
  const hasDraft = draft !== null && draft.text !== stored;
  const asStored: Base = { etag: detail.etag, text: stored, detail };
  const [base, setBase] = useState<Base>(
    hasDraft ? { etag: draft.etag, text: draft.base, detail } : asStored,
  );
  const [text, setText] = useState(hasDraft ? draft.text : stored);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [theirs, setTheirs] = useState<Theirs | null>(null);
  const [note, setNote] = useState(hasDraft ? texts.draft : null);
  const isDirty = text !== base.text;
  const now = useRef({ text, isDirty });
  now.current = { text, isDirty };

  useEffect(() => guardLeaving(() => !now.current.isDirty || confirm(texts.unsaved)), []);
  useEffect(() => {
    if (!isDirty) return;
    const keep = () => keepDraft(bucket, key, { etag: base.etag, base: base.text, text });
    const timer = setTimeout(keep, DRAFT_AFTER_MS);
    return () => {
      clearTimeout(timer);
      // A view that is left in the meantime loses nothing either.
      if (now.current.isDirty) keep();
    };
  }, [text, base]);

  /** Goes on from there: the text, and what it began from. */
  function begin(next: Base, typed: string, words: string | null): void {
    setBase(next);
    setText(typed);
    setTheirs(null);
    setNote(words);
  }
  function end(): void {
    dropDraft(bucket, key);
    now.current = { text, isDirty: false };
  }
  function saved(etag: string, described: ObjectDetail): void {
    end();
    // What was typed while it was sent stays.
    setBase({ etag, text, detail: described });
    setTheirs(null);
    setNote(null);
    invalidate(`object ${bucket} ${key} `);
    showToast({ text: texts.saved });
  }
  function discardDraft(): void {
    dropDraft(bucket, key);
    begin(asStored, stored, null);
  }
  async function save(): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    try {
      const written = withLineEnds(text, lineEnd);
      saved(await saveText(bucket, key, written, base.detail, { ifMatch: base.etag }), base.detail);
    } catch (cause) {
      const isChanged =
        cause instanceof QuaysideError && (cause.status === 412 || cause.status === 404);
      if (isChanged) await readCurrent(bucket, key).then(setTheirs, setError);
      else setError(cause);
    }
    setBusy(false);
  }
  function close(): void {
    if (isDirty && !confirm(texts.unsaved)) return;
    end();
    onClose();
  }
  const state = { base, text, isBusy, error, theirs, note };
  return { ...state, setText, setTheirs, begin, end, saved, discardDraft, save, close };
}

function TextEditor(props: TextEditorProps) {
  const { object, lineEnd, onClose } = props;
  const { bucket, key } = object;
  const texts = t().viewers.edit;
  const editing = useEditing(props);
  const { base, text, theirs, note, error } = editing;
  const save = () => void editing.save();
  useCommands([
    { id: 'edit.save', label: t().shell.save, keys: ['Mod+s'], run: save },
    { id: 'edit.close', label: t().shell.close, keys: ['Escape'], run: editing.close },
  ]);

  if (theirs !== null) {
    return (
      <Clash
        bucket={bucket}
        objectKey={key}
        base={base.text}
        yours={text}
        lineEnd={lineEnd}
        theirs={theirs}
        described={base.detail}
        onBack={() => editing.setTheirs(null)}
        onOverwritten={editing.saved}
        onMerged={(merged, words) => {
          const { detail, text: current } = theirs;
          if (detail !== null) {
            editing.begin({ etag: detail.etag, text: current, detail }, merged, words);
          }
        }}
        onKeptBoth={() => {
          editing.end();
          invalidate(`object ${bucket} ${key} `);
          onClose();
        }}
      />
    );
  }
  const tools = (
    <>
      <Button icon={X} label={t().shell.close} onClick={editing.close} />
      <Button
        icon={Save}
        kind="primary"
        label={t().shell.save}
        keys={isMac ? '⌘S' : 'Ctrl S'}
        isBusy={editing.isBusy}
        onClick={save}
      />
    </>
  );
  return (
    <ViewerFrame compact={false} tools={tools}>
      {note !== null && (
        <div class="banner" role="status">
          <span class="grow">{note}</span>
          {note === texts.draft && (
            <Button label={t().shell.discard} onClick={editing.discardDraft} />
          )}
        </div>
      )}
      {error !== null && <InlineError text={errorLine(error)} />}
      <NumberedArea label={texts.title(nameOf(key))} value={text} onInput={editing.setText} />
    </ViewerFrame>
  );
}

type AreaProps = {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
};

/** A text field with the numbers of its lines beside it. */
function NumberedArea({ label, value, onInput }: AreaProps) {
  const numbers = useRef<HTMLPreElement>(null);
  const count = value.split('\n').length;
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => area.current?.focus(), []);
  return (
    <div class="editor">
      <pre ref={numbers} class="editor-numbers" aria-hidden="true">
        {Array.from({ length: count }, (_, index) => index + 1).join('\n')}
      </pre>
      <textarea
        ref={area}
        class="editor-text"
        aria-label={label}
        value={value}
        wrap="off"
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        onInput={(event) => onInput(event.currentTarget.value)}
        onScroll={(event) => {
          if (numbers.current !== null) numbers.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}
