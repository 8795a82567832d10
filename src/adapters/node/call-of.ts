// How a person calls the commands of the server: by npm in a clone, and by the program `quayside`
// of the npm package. Messages that say what to run call it; it imports nothing.

/** Source files run as they are; the published package is JavaScript. */
const IS_PACKAGE = !import.meta.url.endsWith('.ts');

/** The call of a command of operators; its arguments stand behind it. */
export const callOf = (command: 'backup' | 'restore' | 'check'): string =>
  IS_PACKAGE ? `npx quayside ${command}` : `npm run ${command} --`;

/** The call that starts the server on a data folder. */
export const startOf = (dataDir: string): string =>
  IS_PACKAGE ? `npx quayside serve --data ${dataDir}` : `QUAYSIDE_DATA_DIR=${dataDir} npm start`;
