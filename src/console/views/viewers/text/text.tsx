// Text and code: its first 2 MB, then more by pages; colours, wrapping, numbers that
// are links to their lines. Finding is the browser's: what is loaded is in the page.
import { Braces, Eye, FileX2, Pencil, WrapText } from 'lucide';
import { useContext, useMemo, useState } from 'preact/hooks';
import { useCommands } from '../../../app/commands.ts';
import { lazy } from '../../../app/lazy.tsx';
import { may } from '../../../app/session.ts';
import { bytes } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { Empty } from '../../../ui/small.tsx';
import { Measured, ViewerFrame } from '../frame.tsx';
import { extensionOf } from '../kinds.ts';
import type { ViewProps } from '../shown.ts';
import { CodeView } from './code.tsx';
import { createDecoder } from './decode.ts';
import { type Pages, rangePages } from './pages.ts';
import { prettyJson } from './pretty-json.ts';
import { type PageReader, usePages } from './use-pages.ts';

/** Text that is loaded at once, bytes. */
export const PAGE_BYTES = 2 * 1024 * 1024;
export const COMPACT_BYTES = 32 * 1024;
/** Text that can be edited here, bytes: one request writes it, one page holds it. */
const EDITED_MAX_BYTES = 2 * 1024 * 1024;
const JSON_NAME = /^(?:json|ndjson|jsonl|geojson|webmanifest|map)$/;

const Editor = lazy(() => import('../edit/editor.tsx'));

type TextProps = ViewProps & {
  /** Goes back to a view that shows the text as what it stands for. */
  readonly onRendered?: (() => void) | undefined;
};

export default function TextView({ shown, compact, onRendered }: TextProps) {
  const [isEditing, setEditing] = useState(false);
  const { object } = shown;
  if (isEditing && object !== null) {
    return <Editor object={object} onClose={() => setEditing(false)} />;
  }
  const isSmall = shown.source.sizeBytes <= EDITED_MAX_BYTES;
  const isEditable =
    object?.detail.isLatest === true &&
    object.detail.contentEncoding === null &&
    isSmall &&
    may('objects:write');
  const pageBytes = compact ? COMPACT_BYTES : PAGE_BYTES;
  return (
    <PagedText
      shown={shown}
      compact={compact}
      open={() => rangePages(shown.source, pageBytes)}
      onEdit={isEditable && !compact ? () => setEditing(true) : null}
      onRendered={onRendered}
    />
  );
}

type PagedProps = ViewProps & {
  /** Begins reading from the front. */
  readonly open: () => Pages;
  readonly onEdit: (() => void) | null;
  readonly onRendered?: (() => void) | undefined;
  /** The name that shows the language; `app.log` of `app.log.gz`. */
  readonly name?: string;
};

export function PagedText(props: PagedProps) {
  const { shown, compact, open, onRendered, name = shown.name } = props;
  const texts = t().viewers.text;
  const measured = useContext(Measured);
  const { state, more } = usePages(open, createTextReader, '', shown.name);
  // What is edited is saved as UTF-8: another encoding would be lost.
  const onEdit = state.encoding === 'utf-8' ? props.onEdit : null;
  const [isWrapped, setWrapped] = useState(true);
  const isJson = JSON_NAME.test(extensionOf(name)) || /json/.test(shown.contentType ?? '');
  const [isPretty, setPretty] = useState(false);
  const text = useMemo(
    () => (isPretty ? prettyJson(state.content) : state.content),
    [isPretty, state.content],
  );
  useMemo(() => {
    if (state.isAtEnd) measured({ measure: texts.lines(countLines(state.content)) });
  }, [state.isAtEnd, state.content]);
  useCommands(
    onEdit === null ? [] : [{ id: 'text.edit', label: texts.edit, keys: ['e'], run: onEdit }],
  );

  const tools = (
    <>
      {onRendered !== undefined && (
        <Button icon={Eye} label={texts.rendered} onClick={onRendered} />
      )}
      {state.encoding !== null && state.encoding !== 'utf-8' && (
        <span class="dim">{state.encoding}</span>
      )}
      {isJson && (
        <Button
          icon={Braces}
          label={texts.pretty}
          pressed={isPretty}
          onClick={() => setPretty(!isPretty)}
        />
      )}
      <Button
        icon={WrapText}
        iconOnly
        label={texts.wrap}
        pressed={isWrapped}
        onClick={() => setWrapped(!isWrapped)}
      />
      {onEdit !== null && (
        <Button icon={Pencil} kind="secondary" label={texts.edit} keys="E" onClick={onEdit} />
      )}
    </>
  );
  return (
    <ViewerFrame compact={compact} tools={tools}>
      <div class="viewer-scroll">
        {shown.source.sizeBytes === 0 ? (
          <Empty icon={FileX2} title={t().viewers.empty} />
        ) : (
          <CodeView
            text={text}
            name={isPretty ? 'a.json' : name}
            isWrapped={isWrapped}
            hasLinks={!compact}
          />
        )}
        {state.error !== null && <Failure error={state.error} onRetry={more} />}
        {!state.isAtEnd && state.error === null && !compact && state.content !== '' && (
          <div class="viewer-more">
            <span class="dim">
              {texts.shownOf(bytes(state.readBytes), bytes(state.totalBytes))}
            </span>
            <Button kind="secondary" label={texts.more} isBusy={state.isLoading} onClick={more} />
          </div>
        )}
      </div>
    </ViewerFrame>
  );
}

function createTextReader(): PageReader<string> {
  const decoder = createDecoder();
  let text = '';
  return {
    add(page, isAtEnd) {
      text += decoder.decode(page, isAtEnd);
      return text;
    },
    encoding: decoder.encoding,
  };
}

const countLines = (text: string): number =>
  text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0);
