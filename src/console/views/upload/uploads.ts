// What other views use to send files: `addUploads`. It is the short way for files that
// are at hand; ways-in.tsx has drops, pastes, folders and the dialog.
import type { QueueFile } from 'quayside/client';
import { bringIn } from './bring-in.ts';

/**
 * Sends files to a folder, with the paths that they have: a file of a chosen folder
 * keeps its own. Asks first where names are taken or a cap leaves no room.
 */
export async function addUploads(
  bucket: string,
  prefix: string,
  files: Iterable<File | QueueFile>,
): Promise<void> {
  const listed = [...files].map((one): QueueFile => {
    if ('file' in one) return one;
    return { file: one, path: one.webkitRelativePath || one.name };
  });
  await bringIn({ bucket, prefix }, { files: listed, roots: [] });
}
