// The command line of the package, without a process: what it runs, and what it refuses.
import { describe, expect, it } from 'vitest';
import { readCommand } from '../../src/bin/command.ts';

describe('the command line', () => {
  it.each([[[]], [['help']], [['-h']], [['--help']], [['serve', '-h']]])(
    'shows the help with %j',
    (args) => {
      const shown = { kind: 'end', exitCode: 0, text: expect.stringContaining('Usage: quayside') };
      expect(readCommand(args)).toEqual(shown);
    },
  );

  it.each([[['-v']], [['--version']], [['serve', '-v']]])('shows the version with %j', (args) => {
    const shown = { kind: 'end', exitCode: 0, text: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/) };
    expect(readCommand(args)).toEqual(shown);
  });

  it('starts the server with settings of its options alone', () => {
    const run = { kind: 'run', file: 'node.js', args: [] };
    expect(readCommand(['serve'])).toEqual({ ...run, settings: {} });
    const options = ['--data', 'd', '--port', '0', '--host', 'h'];
    const settings = { QUAYSIDE_DATA_DIR: 'd', QUAYSIDE_PORT: '0', QUAYSIDE_HOST: 'h' };
    expect(readCommand(['serve', ...options])).toEqual({ ...run, settings });
    expect(readCommand(['serve', '--port', '65535'])).toMatchObject({ kind: 'run' });
  });

  it.each(['backup', 'restore', 'check'])('hands all arguments to %s', (name) => {
    const command = { kind: 'run', file: `${name}.js`, args: ['--help', 'x'], settings: {} };
    expect(readCommand([name, '--help', 'x'])).toEqual(command);
  });

  it.each([
    [['serve', '--port', '65536'], '--port wants a number from 0 to 65535, not "65536".'],
    [['serve', '--port', ''], '--port wants'],
    [['serve', '--port', '-1'], 'argument is ambiguous'],
    [['serve', '--port', '1e3'], '--port wants'],
    [['serve', '--port', '000001'], '--port wants'],
    [['serve', '--data', ''], '--data and --host want a text.'],
    [['serve', '--host', ''], '--data and --host want a text.'],
    [['serve', 'folder'], 'folder'],
    [['sreve'], 'There is no command "sreve".'],
  ])('refuses %j', (args, reason) => {
    const refused = { kind: 'end', exitCode: 2, text: expect.stringContaining(reason) };
    expect(readCommand(args)).toEqual(refused);
  });
});
