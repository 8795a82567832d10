// The bar above the list: what can be done with the folder, or, while something is
// selected, with that.
import {
  ChevronDown,
  Ellipsis,
  PanelRight,
  Pin,
  PinOff,
  Settings2,
  SlidersHorizontal,
  X,
} from 'lucide';
import { Fragment } from 'preact';
import { isPinned } from '../../app/pinned.ts';
import { objectPath, query } from '../../app/router.ts';
import { count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { openMenu, openMenuOf } from '../../ui/open-menu.tsx';
import { type Action, chosen, copyMenu, rowMenu } from './folder-actions.ts';
import { toggleInspector, togglePin } from './show-folder.ts';
import type { FolderModel } from './use-folder.ts';

type ToolBarProps = { readonly folder: FolderModel; readonly actions: readonly Action[] };

const look = () => import('./look-menu.ts');

/** Actions with a button of their own; the rest are in the menu. */
const IN_BAR = ['download', 'copy-as', 'move', 'delete'].map((id) => `browse.${id}`);

const keysOf = ({ keys }: Action) =>
  keys?.[0] === undefined ? {} : { keys: keys[0].length === 1 ? keys[0].toUpperCase() : keys[0] };

export function ToolBar({ folder, actions }: ToolBarProps) {
  const { selection } = folder;
  const hasSelection = selection.isAll.value || selection.count.value > 0;
  return (
    <div
      class={hasSelection ? 'tool-bar has-selection' : 'tool-bar'}
      role="toolbar"
      aria-label={t().browse.actions}
    >
      {hasSelection ? (
        <SelectionTools folder={folder} actions={actions} />
      ) : (
        <FolderTools actions={actions} />
      )}
      <span class="gap" />
      <LookTools folder={folder} />
    </div>
  );
}

function FolderTools({ actions }: { readonly actions: readonly Action[] }) {
  const own = actions.filter(({ about }) => about === 'folder');
  return (
    <>
      {own.map((action) => (
        <Button
          key={action.id}
          kind={action.id === 'browse.upload' ? 'secondary' : 'quiet'}
          icon={action.icon}
          label={action.label}
          {...keysOf(action)}
          onClick={action.run}
        />
      ))}
    </>
  );
}

function SelectionTools({ folder, actions }: ToolBarProps) {
  const { selection, sums } = folder;
  const texts = t().browse;
  const number = selection.count.value;
  const all = sums === null ? null : count(sums.objects);
  return (
    <>
      <Button icon={X} iconOnly label={texts.clearSelection} keys="Esc" onClick={selection.clear} />
      <span class="medium selected-count" role="status">
        {selection.isAll.value ? texts.allSelected(all) : texts.selected(number, count(number))}
      </span>
      {actions
        .filter(({ id }) => IN_BAR.includes(id))
        .map((action) => (
          <Fragment key={action.id}>
            <Button
              kind={action.isDanger === true ? 'red' : 'quiet'}
              icon={action.icon}
              label={action.label}
              off={action.off}
              {...keysOf(action)}
              onClick={action.run}
            />
            {action.id === 'browse.copy-as' && (
              <Button
                icon={ChevronDown}
                iconOnly
                wide
                label={texts.copyForm}
                onClick={(event) => openMenu(event, texts.copyForm, copyMenu(chosen(folder)))}
              />
            )}
          </Fragment>
        ))}
      <Button
        icon={Ellipsis}
        iconOnly
        label={t().shell.more}
        onClick={(event) => openMenu(event, texts.actions, rowMenu(actions, folder))}
      />
    </>
  );
}

function LookTools({ folder }: { readonly folder: FolderModel }) {
  const { bucket, prefix } = folder;
  const texts = t().browse;
  const panel = query.value.get('panel');
  const pinned = isPinned(objectPath(bucket, prefix));
  return (
    <>
      {prefix === '' && (
        <LinkButton icon={Settings2} iconOnly wide label={texts.settings} to={`/b/${bucket}`} />
      )}
      <Button
        icon={pinned ? PinOff : Pin}
        iconOnly
        wide
        label={pinned ? texts.unpin : texts.pin}
        onClick={() => togglePin(folder)}
      />
      <Button
        icon={SlidersHorizontal}
        iconOnly
        label={texts.look}
        onClick={(event) => openMenuOf(event, texts.look, look, (part) => part.lookMenu(folder))}
      />
      <Button
        icon={PanelRight}
        iconOnly
        label={texts.inspector}
        keys="I"
        pressed={panel !== null && panel !== 'map'}
        onClick={toggleInspector}
      />
    </>
  );
}
