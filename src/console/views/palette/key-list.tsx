// All keys of now: those of the view first. Letters can be switched off.
import { commands, keyLabel } from '../../app/commands.ts';
import type { Closing } from '../../app/global-commands.tsx';
import { letterKeys } from '../../app/preferences.ts';
import { t } from '../../i18n/i18n.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField } from '../../ui/field.tsx';

export default function KeyList({ onClose }: Closing) {
  const texts = t().palette;
  const keyed = commands().filter(({ keys }) => keys !== undefined);
  return (
    <Dialog title={t().shell.keyList} width={620} onClose={onClose}>
      <dl class="key-list">
        {keyed.map(({ id, label, keys = [] }) => (
          <div key={id}>
            <dt>{label}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{keyLabel(key)}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <CheckField
        label={texts.letters}
        hint={texts.lettersHint}
        checked={letterKeys.value}
        onChange={(checked) => {
          letterKeys.value = checked;
        }}
      />
    </Dialog>
  );
}
