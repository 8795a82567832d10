// A folder without anything in it: what is missing, and the ways on.
import { ArrowDownToLine, Upload } from 'lucide';
import { useEffect } from 'preact/hooks';
import { may, server } from '../../../app/session.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy.ts';
import { Empty } from '../../../ui/small.tsx';
import { openUpload } from '../../upload/open-upload.tsx';
import { placeName } from '../shown-name.ts';
import type { FolderModel } from '../use-folder.ts';

export default function EmptyFolder({
  folder: { bucket, prefix },
}: {
  readonly folder: FolderModel;
}) {
  const texts = t().browse;
  const mayWrite = may('objects:write');
  const endpoint = server.value?.s3Endpoint ?? location.origin;
  const command = `aws s3 sync dist 's3://${bucket}/${prefix.replaceAll("'", `'\\''`)}'`;
  useFocusKept();
  const whole = `${command} --endpoint-url ${endpoint}`;
  return (
    <div class="list empty-folder">
      <Empty
        icon={ArrowDownToLine}
        title={texts.empty(placeName(bucket, prefix))}
        action={
          mayWrite ? (
            <Button
              kind="primary"
              icon={Upload}
              label={texts.chooseFiles}
              onClick={() => openUpload(bucket, prefix)}
            />
          ) : undefined
        }
      >
        {mayWrite && texts.emptyHint}
      </Empty>
      {mayWrite && (
        <div class="other-ways">
          <section>
            <h2>{texts.fromShell}</h2>
            <button type="button" class="code" onClick={() => void copyText(whole)} title={whole}>
              {command} \<br />
              {'  '}--endpoint-url {endpoint}
            </button>
          </section>
        </div>
      )}
    </div>
  );
}

/** Keeps the focus in the view when the last row went, which had it. */
function useFocusKept(): void {
  useEffect(() => {
    if (document.activeElement === document.body) document.getElementById('main')?.focus();
  }, []);
}
