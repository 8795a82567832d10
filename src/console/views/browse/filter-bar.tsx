// The line that filters: what is typed is looked for at once, in this folder or in the
// whole bucket. ↓ and Enter go to the rows, Esc closes.
import { ListFilter, X } from 'lucide';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { exactCount } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { FolderModel } from './use-folder.ts';
import { changeSearch, closeFilter, openFilter, readSearch, type Search } from './use-search.ts';

function countWords({ list, isIndexing, hasMore }: Search): string {
  const texts = t().browse;
  const number = exactCount(list.count());
  if (isIndexing) return texts.matchesSoFar(number);
  return hasMore ? texts.firstMatches(number) : texts.matches(list.count(), number);
}

export default function FilterBar({ folder }: { readonly folder: FolderModel }) {
  const ref = useRef<HTMLInputElement>(null);
  const { text = '', isWholeBucket = false } = readSearch() ?? {};
  const texts = t().browse;
  useLayoutEffect(() => ref.current?.focus(), [isWholeBucket]);
  const close = () => {
    closeFilter();
    folder.selection.clear();
    queueMicrotask(() => folder.grid.current?.focus());
  };
  const { bucket, search, grid } = folder;
  return (
    <search class="filter-bar">
      <label class="input">
        <Icon of={ListFilter} />
        <input
          ref={ref}
          type="search"
          value={text}
          placeholder={isWholeBucket ? texts.searchBucket(bucket) : texts.filter}
          aria-label={isWholeBucket ? texts.searchBucket(bucket) : texts.filter}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => changeSearch(event.currentTarget.value, isWholeBucket)}
          onKeyDown={(event) => {
            if (event.isComposing) return;
            if (event.key === 'Escape') close();
            else if (event.key === 'Enter' || event.key === 'ArrowDown') grid.current?.goTo(0);
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      </label>
      <span class="segments" role="group" aria-label={texts.searchIn}>
        <Button
          label={texts.thisFolder}
          pressed={!isWholeBucket}
          onClick={() => openFilter(false)}
        />
        <Button
          label={texts.wholeBucket}
          pressed={isWholeBucket}
          onClick={() => openFilter(true)}
        />
      </span>
      <span class="faint cut" role="status">
        {search !== null && !search.isLoading && search.error === null && (
          <span>{countWords(search)}</span>
        )}
      </span>
      <span class="gap" />
      <Button icon={X} iconOnly label={t().shell.close} onClick={close} />
    </search>
  );
}
