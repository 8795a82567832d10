// The files of the link pages, style and scripts, at `/-/link-files/` of the service
// and of hosts that are bound to a bucket: a link lives on both. The build has put
// them beside the console's files; a page without them is plain, and works.
import { StorageError } from '../../../domain/errors.ts';
import type { ConsoleFileList, ConsoleFiles } from '../../../ports/console-files.ts';
import { createSendBuiltFile } from '../../console/built-file.ts';
import type { HttpRequest } from '../../request.ts';

/** Where the files are; http/address.ts leads it here. */
const PATH = '/-/link-files/';
/** Where they stand in the build's folder. */
const FOLDER = 'links/';
/** Names of the build: `style-DyO2_hx1.css`. */
const BUILT_NAME = /^links\/([a-z]+)-[\w-]+\.([a-z]+)$/;

/** Which script a page has. */
export type PageScript = 'share' | 'drop';

/** Addresses of a page's files, from the root of its host; null: they were not built. */
export type PageFiles = {
  readonly style: string | null;
  readonly script: string | null;
  readonly icon: string | null;
  /** The picture for previews in chats, 1200 by 630. */
  readonly picture: string | null;
};

export type LinkFiles = {
  /** Cost: memory, once the build was found. */
  filesOf(script: PageScript): Promise<PageFiles>;
  /**
   * Answers a request for one of the files. MethodNotAllowed for anything but GET and
   * HEAD, NoSuchResource for no file.
   */
  answer(request: HttpRequest, name: string, requestId: string): Promise<Response>;
};

/** Makes the files' surface over the build of the platform. */
export function createLinkFiles(files: ConsoleFiles): LinkFiles {
  const sendBuiltFile = createSendBuiltFile();

  async function answerFile(request: HttpRequest, name: string, requestId: string) {
    const { method, notes } = request;
    notes.operation = 'LinkFile';
    if (method !== 'GET' && method !== 'HEAD')
      throw new StorageError('MethodNotAllowed', { fields: { Allow: 'GET, HEAD' } });

    const opened = await files.open();
    const file = opened?.list.get(FOLDER + name);
    if (opened === null || file === undefined) throw new StorageError('NoSuchResource');

    const headers = {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-amz-request-id': requestId,
    };
    const built = { opened, name: FOLDER + name, file, isAsset: true, headers };
    return sendBuiltFile(request, built);
  }

  return {
    async filesOf(script) {
      const opened = await files.open();
      const find = (name: string, ending: string) =>
        opened === null ? null : findBuilt(opened.list, name, ending);
      return {
        style: find('style', 'css'),
        script: find(script, 'js'),
        icon: find('mark', 'svg'),
        picture: find('preview', 'png'),
      };
    },
    answer: answerFile,
  };
}

/** The list is short: what the console is made of. */
function findBuilt(list: ConsoleFileList, name: string, ending: string): string | null {
  for (const path of list.keys()) {
    const [, built, builtEnding] = BUILT_NAME.exec(path) ?? [];
    if (built === name && builtEnding === ending) return `${PATH}${path.slice(FOLDER.length)}`;
  }
  return null;
}
