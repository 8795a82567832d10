// The client that sends bytes: without the notes of api/client.ts, which would
// hide the progress of a body and fill the list of calls with presigning.
import { createUploadClient } from 'quayside/client';

export const uploadClient = createUploadClient({ endpoint: location.origin });
