// Opens the dialog of an upload, which is loaded when it is first shown.
import { lazy } from '../../app/lazy.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { refuses } from './choose/drops.ts';
import type { Chosen } from './choose/read-files.ts';
import type { Plan } from './plan/plan.ts';

const UploadDialog = lazy(() => import('./plan/upload-dialog.tsx'), {
  isOfFolder: true,
  takesKeys: true,
});

/** Opens the dialog that files are chosen in. */
export function openUpload(bucket: string, prefix: string): void {
  if (refuses()) return;
  openDialog((close) => <UploadDialog bucket={bucket} prefix={prefix} onClose={close} />);
}

/** Asks what becomes of clashes, or says why nothing is sent. */
export function openReview(begun: { readonly plan: Plan; readonly chosen: Chosen }): void {
  const { bucket, prefix } = begun.plan.target;
  openDialog((close) => (
    <UploadDialog bucket={bucket} prefix={prefix} begun={begun} onClose={close} />
  ));
}
