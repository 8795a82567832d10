// Brings files into a folder.
import type { Chosen } from './read-files.ts';
import { sendFiles, type UploadTarget } from './uploads.ts';

/** Begins to send what was chosen. */
export async function addUploads(target: UploadTarget, { files }: Chosen): Promise<void> {
  sendFiles(target, files);
}
