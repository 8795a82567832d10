// The client that moves the bytes: without the notes of api/client.ts, which would
// hide the progress of a body and fill the list of calls with presigning.
import { createClient } from 'quayside/client';

export const uploadClient = createClient({ endpoint: location.origin });
