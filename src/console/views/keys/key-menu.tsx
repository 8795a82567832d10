// What can be done with a key: its menu, and the dialogs that rotate and delete.
import { Copy, Ellipsis, Power, RefreshCw, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate } from '../../api/query.ts';
import { withProof } from '../../api/with-proof.ts';
import { endTime, time } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { openMenu } from '../../ui/open-menu.tsx';
import { PlainWords } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useAct } from '../change/use-act.ts';
import { showMadeKey } from './made-key.ts';
import type { AccessKey } from './scope.ts';

type KeyProps = { readonly accessKey: AccessKey };
type DialogProps = KeyProps & { readonly onClose: () => void };

export function keyMenu(key: AccessKey): readonly MenuItem[] {
  const texts = t().keys;
  return [
    { label: texts.copyId, icon: Copy, run: () => void copyText(key.id) },
    {
      label: key.isEnabled ? texts.disable : texts.enable,
      icon: Power,
      run: () => void setEnabled(key, !key.isEnabled),
    },
    {
      label: texts.rotate,
      icon: RefreshCw,
      run: () => openDialog((close) => <Rotate accessKey={key} onClose={close} />),
    },
    'rule',
    {
      label: t().browse.delete,
      icon: Trash2,
      isDanger: true,
      run: () => openDialog((close) => <Delete accessKey={key} onClose={close} />),
    },
  ];
}

export function MoreButton({ accessKey }: KeyProps) {
  const label = t().keys.menu(accessKey.name);
  return (
    <Button
      icon={Ellipsis}
      iconOnly
      label={label}
      onClick={(event) => openMenu(event, label, keyMenu(accessKey))}
    />
  );
}

const OVERLAPS = ['86400', '3600', '604800', '0'] as const;
type Overlap = (typeof OVERLAPS)[number];

function Rotate({ accessKey, onClose }: DialogProps) {
  const texts = t().keys;
  const [overlap, setOverlap] = useState<Overlap>('86400');
  const act = useAct(onClose);
  const seconds = Number(overlap);
  const end = endTime(Date.now() + seconds * 1000);
  const rotate = () =>
    act.run(async () => {
      const body = { overlapSeconds: seconds };
      showMadeKey(await withProof(() => client.keys.rotate(accessKey.id, { body })));
    });
  return (
    <ActDialog
      title={texts.rotateTitle(accessKey.name)}
      onClose={onClose}
      onSubmit={rotate}
      icon={RefreshCw}
      act={act}
      label={texts.makeSuccessor}
    >
      <SelectField
        label={texts.overlap}
        value={overlap}
        options={OVERLAPS.map((value) => ({ value, label: texts.overlaps[value] }))}
        onChange={setOverlap}
      />
      <PlainWords>{seconds === 0 ? texts.rotateNow : texts.rotateWords(end)}</PlainWords>
    </ActDialog>
  );
}

function Delete({ accessKey, onClose }: DialogProps) {
  const texts = t().keys;
  const { id, name, lastUsedAt } = accessKey;
  const act = useAct(onClose);
  const remove = () =>
    act.run(async () => {
      await client.keys.delete(id);
      invalidate('keys');
    });
  return (
    <ActDialog
      title={texts.deleteTitle(name)}
      onClose={onClose}
      kind="danger"
      icon={Trash2}
      act={act}
      label={texts.deleteKey}
      onSubmit={remove}
    >
      <PlainWords tone="lose">
        {texts.deleteWords(id)}
        {lastUsedAt !== null && ` ${texts.usedLately(time(lastUsedAt, t().units))}`}
      </PlainWords>
    </ActDialog>
  );
}

/** Disables or enables at once; the toast takes it back. */
export async function setEnabled(key: AccessKey, isEnabled: boolean): Promise<void> {
  const texts = t().keys;
  try {
    await withProof(() => client.keys.update(key.id, { body: { isEnabled }, ifMatch: '*' }));
    showToast({
      text: isEnabled ? texts.enabledNow(key.name) : texts.disabled(key.name),
      undo: () => void setEnabled(key, !isEnabled),
    });
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
  invalidate('keys');
}
