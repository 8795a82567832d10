// The console's files on Cloudflare: static assets that were uploaded with the
// Worker, read through their binding. Calls of the binding are not billed. Source:
// https://developers.cloudflare.com/workers/static-assets/binding/
import type { ConsoleFiles } from '../../../ports/console-files.ts';
import { codedName, LIST_NAME, openedOnce, parseConsoleList } from '../../shared/console-list.ts';

/** The binding looks at paths alone; no such host exists. */
const ORIGIN = 'https://console.invalid';

/** Makes the port; null: the deployment has no such binding. */
export function createConsoleAssets(assets: Pick<Fetcher, 'fetch'> | null): ConsoleFiles {
  if (assets === null) return { open: async () => null };

  const readAsset = async (name: string): Promise<Uint8Array | null> => {
    const response = await assets.fetch(`${ORIGIN}/${name}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.status === 404) return null;
    if (response.status !== 200)
      throw new Error(`The assets binding answered ${response.status} for ${name}.`);
    return bytes;
  };

  return openedOnce(async () => {
    const json = await readAsset(LIST_NAME);
    if (json === null) return null;
    return {
      list: parseConsoleList(new TextDecoder().decode(json)),
      async read(path, coding) {
        const bytes = await readAsset(codedName(path, coding));
        if (bytes === null) throw new Error(`The console has no file ${path} (${coding}).`);
        return bytes;
      },
    };
  });
}
