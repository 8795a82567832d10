// The path as a field: Tab completes, ↓ goes through what is below, Enter goes there,
// Esc gives the links back. Takes s3://, URLs and ARNs too.

import { Box, File, Folder } from 'lucide';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useBucketNames } from '../../../api/bucket-names.ts';
import { client } from '../../../api/client.ts';
import { useQuery } from '../../../api/query.ts';
import { BASE, navigate, objectPath } from '../../../app/router.ts';
import { server } from '../../../app/session.ts';
import { t } from '../../../i18n/i18n.ts';
import { Icon } from '../../../ui/icon.tsx';
import { keyOf } from '../list/row-list.ts';
import { nameOf } from '../selection.ts';
import { shownName } from '../shown-name.ts';
import { parsePlace } from './parse-place.ts';

type PathEditorProps = {
  readonly bucket: string;
  readonly path: string;
  readonly onClose: () => void;
};

/** Names that are offered at most. */
const OFFERED_MAX = 8;

const hosts = () => ({
  own: location.host,
  base: BASE,
  baseDomain: server.value?.baseDomain ?? null,
});

export default function PathEditor({ bucket, path, onClose }: PathEditorProps) {
  const ref = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(`s3://${bucket}/${path}`);
  const [marked, setMarked] = useState(-1);
  const [isWrong, setWrong] = useState(false);
  const listId = useId();
  const offered = useCompletions(text);
  useLayoutEffect(() => ref.current?.select(), []);

  function close(): void {
    onClose();
    queueMicrotask(() => document.querySelector<HTMLElement>('.path b')?.focus());
  }

  function go(target: string): void {
    const place = parsePlace(target, hosts());
    if (place === null) {
      setWrong(true);
      return;
    }
    onClose();
    navigate(objectPath(place.bucket, place.key));
  }

  function change(next: string): void {
    setText(next);
    setMarked(-1);
    setWrong(false);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const { length } = offered;
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter') go(offered[marked] ?? text);
    else if (event.key === 'Tab' && !event.shiftKey && length > 0) {
      change(offered[marked] ?? sharedStart(offered, text));
    } else if (event.key === 'ArrowDown' && length > 0) setMarked((marked + 1) % length);
    else if (event.key === 'ArrowUp' && length > 0) setMarked((marked - 1 + length) % length);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div class="path path-editor">
      <input
        ref={ref}
        class="input"
        role="combobox"
        aria-label={t().browse.editPath}
        aria-expanded={offered.length > 0}
        aria-controls={listId}
        aria-activedescendant={marked === -1 ? undefined : `${listId}-${marked}`}
        aria-invalid={isWrong}
        value={text}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={onClose}
        onPaste={(event) => {
          const pasted = event.clipboardData?.getData('text/plain') ?? '';
          if (!/^(?:s3:\/\/|https?:\/\/|arn:aws:s3:::)/.test(pasted.trim())) return;
          event.preventDefault();
          go(pasted);
        }}
      />
      <ul
        id={listId}
        class="menu path-menu"
        role="listbox"
        aria-label={t().browse.editPath}
        hidden={offered.length === 0}
      >
        {offered.map((one, index) => (
          <li
            key={one}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === marked}
            class={index === marked ? 'is-selected' : undefined}
            onPointerDown={(event) => {
              // Before the field loses the focus and its list with it.
              event.preventDefault();
              go(one);
            }}
          >
            <Icon of={iconOf(one)} />
            <bdi class="cut">{shownName(nameOf(one.slice('s3://'.length)))}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** `s3://photos/` is a bucket, what ends in a slash a folder. */
function iconOf(place: string) {
  if (place.indexOf('/', 's3://'.length) === place.length - 1) return Box;
  return place.endsWith('/') ? Folder : File;
}

/** What the text can be completed to, as whole `s3://` places. */
function useCompletions(text: string): readonly string[] {
  const rest = text.startsWith('s3://') ? text.slice('s3://'.length) : null;
  const slash = rest?.indexOf('/') ?? -1;
  const bucket = rest === null || slash === -1 ? null : rest.slice(0, slash);
  const typed = rest === null || slash === -1 ? '' : rest.slice(slash + 1);
  const names = useBucketNames(rest !== null && bucket === null);
  const below = useQuery(
    bucket === null ? null : `folder ${bucket} ${typed} completions`,
    (signal) =>
      client.request('GET /buckets/{bucket}/objects', {
        path: { bucket: bucket ?? '' },
        query: { prefix: typed, delimiter: '/', limit: OFFERED_MAX + 1 },
        signal,
      }),
  );
  if (rest === null) return [];
  if (bucket === null) {
    const matching = names.filter((name) => name.startsWith(rest));
    return matching.slice(0, OFFERED_MAX).map((name) => `s3://${name}/`);
  }
  const entries = below.data.value?.items ?? [];
  const places = entries.map((entry) => `s3://${bucket}/${keyOf(entry)}`);
  return places.filter((place) => place !== text).slice(0, OFFERED_MAX);
}

/** What all begin with; the first of all where that adds nothing. */
function sharedStart(places: readonly string[], text: string): string {
  const [first = text] = places;
  let end = first.length;
  for (const place of places) {
    while (!place.startsWith(first.slice(0, end))) end--;
  }
  return end > text.length ? first.slice(0, end) : first;
}
