// The dialog that files are chosen in: drop, files, folder.
import { t } from '../../i18n/i18n.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { addUploads } from './add-uploads.ts';
import { nameOfTarget, UploadDropZone } from './ways-in.tsx';

type UploadDialogProps = {
  readonly bucket: string;
  readonly prefix: string;
  readonly onClose: () => void;
};

export function UploadDialog({ bucket, prefix, onClose }: UploadDialogProps) {
  return (
    <Dialog title={t().upload.uploadTo(nameOfTarget(bucket, prefix))} onClose={onClose}>
      <UploadDropZone
        onChosen={(chosen) => {
          onClose();
          void addUploads({ bucket, prefix }, chosen);
        }}
      />
    </Dialog>
  );
}
