// The dialog api-calls.
import type { Closing } from '../../app/global-commands.tsx';
import { t } from '../../i18n/i18n.ts';
import { Dialog } from '../../ui/dialog.tsx';

export default function ApiCalls({ onClose }: Closing) {
  return (
    <Dialog title={t().shell.help} onClose={onClose}>
      {null}
    </Dialog>
  );
}
