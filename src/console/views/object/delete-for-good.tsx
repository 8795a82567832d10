// Asks before an object goes for good: its bucket keeps no versions.
import { useState } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { t } from '../../i18n/i18n.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { InlineError, PlainWords } from '../../ui/small.tsx';
import { nameOf } from '../browse/selection.ts';

type DeleteProps = {
  readonly bucket: string;
  readonly objectKey: string;
  /** One version, which is always for good. */
  readonly versionId?: string;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
};

export default function DeleteForGood({
  bucket,
  objectKey,
  versionId,
  onClose,
  onDeleted,
}: DeleteProps) {
  const texts = t().object;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const name = nameOf(objectKey);

  async function remove(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await client.request('DELETE /buckets/{bucket}/object', {
        path: { bucket },
        query: { key: objectKey, versionId },
      });
      onClose();
      onDeleted();
    } catch (cause) {
      setError(cause);
      setBusy(false);
    }
  }
  return (
    <ActDialog
      title={versionId === undefined ? texts.deleteTitle(name) : texts.deleteVersionTitle(name)}
      onClose={onClose}
      width={560}
      kind="danger"
      label={texts.deleteForGood}
      act={{ isBusy }}
      onSubmit={() => void remove()}
    >
      <PlainWords tone="lose">
        {versionId === undefined ? texts.deleteWords : texts.deleteVersionWords}
      </PlainWords>
      {error !== null && <InlineError text={errorLine(error)} />}
    </ActDialog>
  );
}
