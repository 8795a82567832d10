// Sends the page of a share link in the language of its reader. The surface of share
// links calls it. What makes pages is loaded by the first one: programs that only
// download never need it.
import type { HttpRequest } from '../../../request.ts';
import type { ShareView } from '../../share/share-view.ts';
import type { LinkFiles } from '../link-files.ts';
import { pageVisit } from '../page-visit.ts';

export type SendSharePage = (
  request: HttpRequest,
  view: ShareView,
  requestId: string,
) => Promise<Response>;

/** Makes the sender. It reads and counts nothing of the link: the view has all that is shown. */
export function createSendSharePage(files: LinkFiles): SendSharePage {
  return async (request, view, requestId) => {
    const [{ sharePage }, { sendPage }, pageFiles] = await Promise.all([
      import('./share-page.ts'),
      import('../send-page.ts'),
      files.filesOf('share'),
    ]);
    const visit = pageVisit(request, pageFiles, requestId);
    return sendPage(request, sharePage(view, visit), requestId);
  };
}
