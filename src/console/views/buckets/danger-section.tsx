// What can't be taken back: emptying and deleting.
import { Trash2 } from 'lucide';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { openDelete, openEmpty } from './bucket-actions.tsx';
import { Part, type SectionProps } from './setting-form.tsx';

export default function DangerSection({ bucket }: SectionProps) {
  const texts = t().buckets;
  return (
    <>
      <Part title={texts.danger.empty} sentence={texts.danger.emptyHint}>
        <div class="setting-actions">
          <Button
            kind="red"
            icon={Trash2}
            label={texts.empty}
            onClick={() => openEmpty(bucket.name)}
          />
        </div>
      </Part>
      <Part title={texts.danger.delete} sentence={texts.danger.deleteHint}>
        <div class="setting-actions">
          <Button
            kind="red"
            icon={Trash2}
            label={texts.delete}
            onClick={() => openDelete(bucket.name)}
          />
        </div>
      </Part>
    </>
  );
}
