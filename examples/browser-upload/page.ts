// The page: files and folders that are chosen or dropped go to the bucket, also after a reload.
import { createClient, createUploadQueue, droppedFiles } from 'quayside/client';
import type { QuaysideUpload } from 'quayside/upload-element';
import 'quayside/upload-element';

// The API is behind this page's own server, which holds the token (server.ts).
const client = createClient({ endpoint: location.origin });
const queue = createUploadQueue({
  client,
  bucket: 'uploads',
  prefix: 'in/',
  storage: localStorage,
});

const element = document.querySelector<QuaysideUpload>('quayside-upload');
if (element !== null) {
  element.readDrop = droppedFiles;
  element.queue = queue;
}
// Leaving the page would stop what is under way: it goes on when the files are chosen again.
addEventListener('beforeunload', (event) => {
  if (queue.getSnapshot().totals.states.sending > 0) event.preventDefault();
});
