// The folder of the built console, which wrangler.toml names. wrangler and the tests' runtime end
// with an error where it is missing, though the Worker does well without a console: whoever starts
// one of them makes it, empty.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Absolute path of the folder. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../build/console', import.meta.url));

/** Makes the folder unless it is there. */
export function makeConsoleFolder(): void {
  mkdirSync(CONSOLE_FOLDER, { recursive: true });
}
