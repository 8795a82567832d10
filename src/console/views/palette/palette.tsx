// The palette: places, objects of this bucket, what can be done here, in this order.
// `>` is for commands alone. It keeps the last words for a minute.

import { Box, CornerDownLeft, File as FileIcon, Folder, type IconNode, Search } from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useBucketNames } from '../../api/bucket-names.ts';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { type Command, commands, keyLabel } from '../../app/commands.ts';
import type { Closing } from '../../app/global-commands.tsx';
import { pinnedPlaces, recentPlaces } from '../../app/pinned.ts';
import { href, navigate, objectPath, path, readObjectPath } from '../../app/router.ts';
import { bytes } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../../ui/icon.tsx';
import { Matched } from './matched.tsx';

type Choice = {
  readonly id: string;
  readonly label: string;
  readonly icon: IconNode;
  readonly aside: string;
  readonly off?: string | undefined;
  /** Its address; absent: it runs. */
  readonly to?: string;
  readonly run: () => void;
};
type Group = { readonly title: string; readonly choices: readonly Choice[] };

/** Rows of a group. */
const GROUP_MAX = 5;
/** Commands when only commands are wanted. */
const COMMANDS_MAX = 60;
/** How long the words are kept, milliseconds. */
const KEPT_MS = 60_000;
/** How long typing must rest before objects are searched, milliseconds. */
const REST_MS = 60;

let kept = { text: '', atMs: 0 };

export default function Palette({ onClose }: Closing) {
  const ref = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState(() => (Date.now() - kept.atMs < KEPT_MS ? kept.text : ''));
  const [at, setAt] = useState(0);
  const groups = useGroups(text);
  const choices = groups.flatMap((group) => group.choices);
  const chosen = choices[Math.min(at, choices.length - 1)];
  const texts = t().palette;

  useLayoutEffect(() => {
    const opener = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.querySelector('input')?.select();
    return () => {
      // What is behind an open dialog takes no focus.
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);

  function take(choice: Choice | undefined, isNewTab = false): void {
    if (choice === undefined || choice.off !== undefined) return;
    kept = { text, atMs: Date.now() };
    onClose();
    if (choice.to !== undefined && isNewTab) open(href(choice.to), '_blank', 'noreferrer');
    else choice.run();
  }

  function handle(event: KeyboardEvent): void {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) setAt((at + by + choices.length) % Math.max(1, choices.length));
    else if (event.key === 'Enter') take(chosen, event.metaKey || event.ctrlKey);
    else return;
    event.preventDefault();
  }

  return (
    <dialog
      ref={ref}
      class="dialog palette menu"
      aria-label={t().shell.search}
      onCancel={onClose}
      onMouseDown={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      <div class="query">
        <Icon of={Search} />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={chosen === undefined ? undefined : `choice-${chosen.id}`}
          aria-label={t().shell.search}
          placeholder={texts.placeholder}
          value={text}
          spellcheck={false}
          onInput={(event) => {
            if (event.currentTarget.value === '?') {
              onClose();
              commands()
                .find(({ id }) => id === 'help.keys')
                ?.run();
              return;
            }
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={handle}
        />
        <kbd>esc</kbd>
      </div>
      <div id="palette-list" class="palette-list" role="listbox" aria-label={t().shell.search}>
        {groups.map((group) => (
          <GroupRows key={group.title} group={group} text={text} chosen={chosen} onTake={take} />
        ))}
        {choices.length === 0 && <p class="group">{texts.nothing(text)}</p>}
      </div>
      <div class="foot" aria-hidden="true">
        <span>
          <kbd>
            <Icon of={CornerDownLeft} small />
          </kbd>{' '}
          {texts.open}
        </span>
        <span>
          <kbd>{keyLabel('Mod+↵')}</kbd> {texts.newTab}
        </span>
        <span class="gap" />
        <span>
          <kbd>&gt;</kbd> {texts.commands}
        </span>
        <span>
          <kbd>?</kbd> {texts.keys}
        </span>
      </div>
    </dialog>
  );
}

type GroupProps = {
  readonly group: Group;
  readonly text: string;
  readonly chosen: Choice | undefined;
  readonly onTake: (choice: Choice, isNewTab: boolean) => void;
};

function GroupRows({ group, text, chosen, onTake }: GroupProps) {
  if (group.choices.length === 0) return null;
  return (
    <div role="group" aria-label={group.title}>
      <div class="group" aria-hidden="true">
        {group.title}
      </div>
      {group.choices.map((choice) => (
        <div
          key={choice.id}
          id={`choice-${choice.id}`}
          role="option"
          class={choice.id === chosen?.id ? 'choice is-selected' : 'choice'}
          aria-selected={choice.id === chosen?.id}
          aria-disabled={choice.off === undefined ? undefined : 'true'}
          title={choice.off}
          onClick={(event) => onTake(choice, event.metaKey || event.ctrlKey)}
        >
          <Icon of={choice.icon} />
          <span class="cut">
            <Matched text={choice.label} part={text.replace(/^>/, '').trim()} />
          </span>
          <span class="keys">{choice.aside}</span>
        </div>
      ))}
    </div>
  );
}

function useGroups(text: string): readonly Group[] {
  const texts = t().palette;
  const isCommandsOnly = text.startsWith('>');
  const words = text.replace(/^>/, '').trim().toLowerCase();
  const isMatch = (label: string) => label.toLowerCase().includes(words);
  const bucket = path.value.startsWith('/b/') ? readObjectPath().bucket : '';
  const places = usePlaces(isCommandsOnly ? null : words);
  const objects = useObjects(isCommandsOnly ? '' : bucket, words);
  const here = commands()
    .filter(({ id, label }) => id !== 'palette' && isMatch(label))
    .slice(0, isCommandsOnly ? COMMANDS_MAX : GROUP_MAX)
    .map(choiceOf);
  return [
    {
      title: texts.places,
      choices: places.filter(({ label }) => isMatch(label)).slice(0, GROUP_MAX),
    },
    { title: texts.objectsIn(bucket), choices: objects },
    { title: texts.here, choices: here },
  ];
}

const choiceOf = ({ id, label, icon, keys, off, run }: Command): Choice => ({
  id,
  label,
  icon: icon ?? CornerDownLeft,
  aside: keys?.[0] === undefined ? '' : keyLabel(keys[0]),
  off,
  run,
});

/** Buckets, pinned and recent folders; null: none are wanted. */
function usePlaces(words: string | null): readonly Choice[] {
  const names = useBucketNames(words !== null);
  if (words === null) return [];
  const known = [...pinnedPlaces.value, ...recentPlaces.value].map(({ to, name }) => ({
    to,
    label: name,
    icon: Folder,
  }));
  const named = names.map((name) => ({
    to: objectPath(name, ''),
    label: name,
    icon: Box,
  }));
  const unique = new Map([...known, ...named].map((place) => [place.to, place]));
  return [...unique.values()].map(({ to, label, icon }) => ({
    id: `place ${to}`,
    label,
    icon,
    aside: '',
    to,
    run: () => navigate(to),
  }));
}

/** Objects of the bucket whose key has the words. */
function useObjects(bucket: string, words: string): readonly Choice[] {
  const [rested, setRested] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setRested(words), REST_MS);
    return () => clearTimeout(timer);
  }, [words]);
  const key = bucket === '' || rested === '' ? null : `search ${bucket} ${rested}`;
  const found = useQuery(key, (signal) =>
    client.request('GET /buckets/{bucket}/search', {
      path: { bucket },
      query: { text: rested, limit: GROUP_MAX },
      signal,
    }),
  );
  if (key === null) return [];
  return (found.data.value?.items ?? []).map((object) => {
    const to = objectPath(bucket, object.key);
    return {
      id: `object ${object.key}`,
      label: object.key,
      icon: FileIcon,
      aside: bytes(object.size),
      to,
      run: () => navigate(to),
    };
  });
}
