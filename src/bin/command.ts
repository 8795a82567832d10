// The command line of `quayside`: which file runs it, with which arguments and settings. Options
// stand above the environment, as everywhere. quayside.ts calls it; it starts nothing.
import { parseArgs } from 'node:util';
import { VERSION } from '../ports/version.ts';

export type Command = {
  readonly kind: 'run';
  /** The file below dist/server. */
  readonly file: string;
  readonly args: readonly string[];
  /** Environment variables that options set. */
  readonly settings: Readonly<Record<string, string>>;
};

/** The end of a process that only prints a text. */
export type CommandEnd = {
  readonly kind: 'end';
  readonly text: string;
  readonly exitCode: 0 | 2;
};

/** Exit code of wrong usage. Source: bash manual, section 3.7.5 */
const WRONG_USAGE = 2;
/** The largest port. Source: RFC 9293, section 3.1 */
const PORT_MAX = 65_535;

const HELP = `Quayside ${VERSION}: object storage with an S3 API, and bills.

  npx quayside serve --data ./data                  starts it: http://127.0.0.1:9000
  npx quayside backup ../backup --data ./data       backs it up while it runs
  npx quayside check ../backup --bodies             proves that nothing is lost

Usage: quayside COMMAND [OPTION]

  serve    [--data FOLDER] [--port NUMBER] [--host ADDRESS]
  backup   FOLDER [--data FOLDER] [--copy] [--verify]
  restore  BACKUP NEW_DATA_FOLDER [--copy]
  check    [FOLDER] [--bodies] [--json]

  -h, --help     show this and end
  -v, --version  show the version and end

Other settings come from the environment or from the file .env: docs/configuration.md of the
package has them all. Exit codes: 0 done, 1 failed or something is hurt, 2 wrong usage; backup,
restore and check end with 2 too when they could not be done.
`;

const SERVE_OPTIONS = {
  data: { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

const show = (text: string): CommandEnd => ({ kind: 'end', text, exitCode: 0 });

const refuse = (reason: string): CommandEnd => ({
  kind: 'end',
  text: `${reason}\nnpx quayside --help shows what there is.\n`,
  exitCode: WRONG_USAGE,
});

/** Reads the arguments behind `quayside`. None: the help. */
export function readCommand([name, ...args]: readonly string[]): Command | CommandEnd {
  switch (name) {
    case undefined:
    case 'help':
    case '-h':
    case '--help':
      return show(HELP);
    case '-v':
    case '--version':
      return show(`${VERSION}\n`);
    case 'serve':
      return readServe(args);
    case 'backup':
    case 'restore':
    case 'check':
      return { kind: 'run', file: `${name}.js`, args, settings: {} };
    default:
      return refuse(`There is no command ${JSON.stringify(name)}.`);
  }
}

function readServe(args: readonly string[]): Command | CommandEnd {
  let values: { data?: string; port?: string; host?: string; help?: boolean; version?: boolean };
  try {
    ({ values } = parseArgs({ args: [...args], options: SERVE_OPTIONS }));
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  if (values.help === true) return show(HELP);
  if (values.version === true) return show(`${VERSION}\n`);

  const { data, port, host } = values;
  if (data === '' || host === '') return refuse('--data and --host want a text.');
  if (port !== undefined && !isPort(port))
    return refuse(`--port wants a number from 0 to ${PORT_MAX}, not ${JSON.stringify(port)}.`);

  const settings: Record<string, string> = {};
  if (data !== undefined) settings.QUAYSIDE_DATA_DIR = data;
  if (port !== undefined) settings.QUAYSIDE_PORT = port;
  if (host !== undefined) settings.QUAYSIDE_HOST = host;
  return { kind: 'run', file: 'node.js', args: [], settings };
}

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX;
