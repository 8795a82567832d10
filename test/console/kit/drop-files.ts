// Drops files on the page that is shown, as a mouse does in its middle. The script runs in the
// browser, whose types this project does not have, so it is a text.
import type { Page } from 'playwright-core';

export type NamedFile = { readonly name: string; readonly body: string };

const script = (files: readonly NamedFile[]) => `
  const data = new DataTransfer();
  for (const { name, body } of ${JSON.stringify(files)}) {
    data.items.add(new File([body], name, { type: 'text/plain', lastModified: 1 }));
  }
  const target = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  const init = { dataTransfer: data, bubbles: true, cancelable: true };
  for (const kind of ['dragenter', 'dragover', 'drop']) {
    target.dispatchEvent(new DragEvent(kind, init));
  }`;

export async function dropFiles(page: Page, files: readonly NamedFile[]): Promise<void> {
  await page.locator('#main').waitFor();
  await page.evaluate(`{${script(files)}}`);
}
