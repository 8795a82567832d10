// Arguments behind `npm start --`: help and version. None configures the server,
// because settings come by the environment. process-start.ts reads them before
// anything else.
import { parseArgs } from 'node:util';
import { VERSION } from '../../../ports/version.ts';

/** The end of a process that only prints a text. */
export type CommandLineEnd = { readonly text: string; readonly exitCode: 0 | 2 };

/** Exit code of wrong usage. Source: bash manual, section 3.7.5 */
const WRONG_USAGE = 2;

const HELP = `Usage: npm start [-- OPTION]

Starts Quayside on this machine. It serves until SIGTERM or SIGINT.

  -h, --help     show this and end
  -v, --version  show the version and end

Settings come from the environment or from the file .env; the first ones to know:

  QUAYSIDE_HOST, QUAYSIDE_PORT   where it listens (127.0.0.1, 9000)
  QUAYSIDE_DATA_DIR              the folder of everything it keeps (./data)
  QUAYSIDE_TRUSTED_PROXIES       proxies whose X-Forwarded-For is believed (none)

docs/configuration.md has them all, docs/running.md says how to run it.
`;

/** Reads the arguments. Null: there are none, and the server starts. */
export function readCommandLine(args: readonly string[]): CommandLineEnd | null {
  const options = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'v' },
  } as const;
  try {
    const { values } = parseArgs({ args: [...args], options });
    if (values.help === true) return { text: HELP, exitCode: 0 };
    return values.version === true ? { text: `${VERSION}\n`, exitCode: 0 } : null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      text: `Quayside can't start: ${reason}\nnpm start -- --help shows what there is.\n`,
      exitCode: WRONG_USAGE,
    };
  }
}
