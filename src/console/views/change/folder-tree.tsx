// A tree of folders to choose one: ← → close and open, typing jumps, Enter chooses.
import { ChevronDown, ChevronRight, Folder } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../../ui/icon.tsx';
import { rowStep } from '../../ui/row-step.ts';
import { Skeleton } from '../../ui/small.tsx';
import { nameOf } from '../browse/selection.ts';

type TreeProps = {
  readonly bucket: string;
  /** The chosen prefix. */
  readonly value: string;
  readonly onChange: (prefix: string) => void;
};

/** Folders of one level that are shown. */
const LEVEL_MAX = 500;

export function FolderTree({ bucket, value, onChange }: TreeProps) {
  const ref = useRef<HTMLDivElement>(null);

  function move(event: KeyboardEvent): void {
    const rows = [...(ref.current?.querySelectorAll<HTMLElement>('[role=treeitem]') ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const next = rowStep(event.key, at, rows.length);
    if (next !== null) {
      event.preventDefault();
      rows[next]?.focus();
    } else if (/^[^\s]$/u.test(event.key) && !event.ctrlKey && !event.metaKey) {
      const typed = event.key.toLowerCase();
      const after = [...rows.slice(at + 1), ...rows.slice(0, at + 1)];
      after.find((row) => row.dataset.name?.toLowerCase().startsWith(typed))?.focus();
    }
  }

  return (
    <div ref={ref} class="tree" role="tree" aria-label={t().change.folders} onKeyDown={move}>
      <TreeRow
        bucket={bucket}
        prefix=""
        name={bucket}
        level={1}
        isFirstOpen
        value={value}
        onChange={onChange}
      />
    </div>
  );
}

type RowProps = TreeProps & {
  readonly prefix: string;
  readonly name: string;
  readonly level: number;
  readonly isFirstOpen?: boolean;
};

function TreeRow({ bucket, prefix, name, level, isFirstOpen = false, value, onChange }: RowProps) {
  const [isOpen, setOpen] = useState(isFirstOpen || (value !== prefix && value.startsWith(prefix)));
  const isChosen = value === prefix;
  return (
    <>
      <div
        role="treeitem"
        data-name={name}
        class={isChosen ? 'tree-row is-selected' : 'tree-row'}
        style={{ paddingLeft: `${(level - 1) * 16 + 4}px` }}
        aria-level={level}
        aria-expanded={isOpen}
        aria-selected={isChosen}
        tabIndex={isChosen || (prefix === '' && value === '') ? 0 : -1}
        onClick={() => {
          onChange(prefix);
          setOpen(true);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowRight') setOpen(true);
          else if (event.key === 'ArrowLeft') setOpen(false);
          else if (event.key === 'Enter' || event.key === ' ') {
            event.preventDefault();
            onChange(prefix);
          }
        }}
      >
        <Icon of={isOpen ? ChevronDown : ChevronRight} small />
        <Icon of={Folder} />
        <bdi class="cut">{name}</bdi>
      </div>
      {isOpen && (
        <Level
          bucket={bucket}
          prefix={prefix}
          level={level + 1}
          value={value}
          onChange={onChange}
        />
      )}
    </>
  );
}

function Level({ bucket, prefix, level, value, onChange }: Omit<RowProps, 'name'>) {
  const folders = useQuery(`folder ${bucket} ${prefix} tree`, (signal) =>
    client.request('GET /buckets/{bucket}/objects', {
      path: { bucket },
      query: { prefix, limit: LEVEL_MAX },
      signal,
    }),
  );
  const items = folders.data.value?.items;
  if (items === undefined) return <Skeleton width={120} />;
  return (
    <>
      {items.map((item) =>
        item.kind === 'folder' ? (
          <TreeRow
            key={item.prefix}
            bucket={bucket}
            prefix={item.prefix}
            name={nameOf(item.prefix).replace(/\/$/, '')}
            level={level}
            value={value}
            onChange={onChange}
          />
        ) : null,
      )}
    </>
  );
}
