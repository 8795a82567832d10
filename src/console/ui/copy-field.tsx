// A value that is taken elsewhere: shown whole, with a button that copies it.
import { Copy } from 'lucide';
import { t } from '../i18n/i18n.ts';
import { Button } from './button.tsx';
import { copyText } from './copy.ts';
import { Field } from './field.tsx';

export function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <Field label={label}>
      {({ id }) => (
        <span class="input">
          <input
            id={id}
            class="bare mono grow"
            value={value}
            readonly
            autocomplete="off"
            onFocus={(event) => event.currentTarget.select()}
          />
          <Button
            icon={Copy}
            iconOnly
            label={`${t().shell.copy}: ${label}`}
            onClick={() => void copyText(value)}
          />
        </span>
      )}
    </Field>
  );
}
