// Editing a text where it is shown. It is saved only over the state that was read;
// where somebody else saved meanwhile, both are shown with what began them.
import { Save, X } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
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

function TextEditor({ object, text: stored, lineEnd, onClose }: TextEditorProps) {
  const { bucket, key, detail } = object;
  const texts = t().viewers.edit;
  const [draft] = useState(() => readDraft(bucket, key));
  const hasDraft = draft !== null && draft.text !== stored;
  const [base, setBase] = useState<Base>(
    hasDraft
      ? { etag: draft.etag, text: draft.base, detail }
      : { etag: detail.etag, text: stored, detail },
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

  const isSaved = (etag: string, saved: string, described: ObjectDetail) => {
    dropDraft(bucket, key);
    now.current = { text: saved, isDirty: false };
    setBase({ etag, text: saved, detail: described });
    setTheirs(null);
    setNote(null);
    invalidate(`object ${bucket} ${key} `);
    showToast({ text: texts.saved });
  };
  async function save(etag = base.etag, described = base.detail): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    try {
      const written = withLineEnds(text, lineEnd);
      const made = await saveText(bucket, key, written, described, { ifMatch: etag });
      isSaved(made, text, described);
    } catch (cause) {
      if (cause instanceof QuaysideError && (cause.status === 412 || cause.status === 404)) {
        await showTheirs();
      } else setError(cause);
    }
    setBusy(false);
  }
  async function showTheirs(): Promise<void> {
    try {
      setTheirs(await readCurrent(bucket, key));
    } catch (cause) {
      setError(cause);
    }
  }
  const close = () => {
    if (isDirty && !confirm(texts.unsaved)) return;
    dropDraft(bucket, key);
    now.current = { text, isDirty: false };
    onClose();
  };
  useCommands([
    { id: 'edit.save', label: texts.save, keys: ['Mod+s'], run: () => void save() },
    { id: 'edit.close', label: texts.close, keys: ['Escape'], run: close },
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
        onBack={() => setTheirs(null)}
        onOverwritten={(etag, described) => isSaved(etag, text, described)}
        onMerged={(merged, words) => {
          if (theirs.detail === null) return;
          setBase({ etag: theirs.detail.etag, text: theirs.text, detail: theirs.detail });
          setText(merged);
          setTheirs(null);
          setNote(words);
        }}
        onKeptBoth={() => {
          dropDraft(bucket, key);
          now.current = { text, isDirty: false };
          invalidate(`object ${bucket} ${key} `);
          onClose();
        }}
      />
    );
  }
  const tools = (
    <>
      <Button icon={X} label={texts.close} onClick={close} />
      <Button
        icon={Save}
        kind="primary"
        label={texts.save}
        keys={isMac ? '⌘S' : 'Ctrl S'}
        isBusy={isBusy}
        onClick={() => void save()}
      />
    </>
  );
  return (
    <ViewerFrame compact={false} tools={tools}>
      {note !== null && (
        <div class="banner" role="status">
          <span class="grow">{note}</span>
          {note === texts.draft && (
            <Button
              label={texts.draftDiscard}
              onClick={() => {
                dropDraft(bucket, key);
                setBase({ etag: detail.etag, text: stored, detail });
                setText(stored);
                setNote(null);
              }}
            />
          )}
        </div>
      )}
      {error !== null && <InlineError text={errorLine(error)} />}
      <NumberedArea label={texts.title(nameOf(key))} value={text} onInput={setText} />
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
  useEffect(() => area.current?.focus(), []);
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
