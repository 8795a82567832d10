// The files of deploy/: each is read by the program that it is for, where that is installed, and
// names nothing that is not there. Skipped checks say why.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VARIABLES } from '../src/config/settings.ts';
import { parseConfig } from '../src/config.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILES = [
  'quayside.service',
  'nginx.conf',
  'Caddyfile',
  'Dockerfile',
  'Dockerfile.dockerignore',
  'compose.yaml',
];
const readFile = (name: string) => readFileSync(`${ROOT}deploy/${name}`, 'utf8');
/** Whether the program answers; Debian has servers in /usr/sbin. */
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
const isInstalled = (program: string) =>
  spawnSync(program, ['--version'], { env: { PATH } }).status === 0 ||
  spawnSync(program, ['version'], { env: { PATH } }).status === 0 ||
  spawnSync(program, ['-v'], { env: { PATH } }).status === 0;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quayside-deploy-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs the program; what it says when it fails. With `isStrict` every word of it is a complaint.
 */
function complaint(program: string, args: readonly string[], isStrict = false): string | null {
  const { status, stdout, stderr } = spawnSync(program, args, {
    env: { PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    encoding: 'utf8',
  });
  const said = `${stdout}${stderr}`;
  return status === 0 && (!isStrict || said === '') ? null : `${status}: ${said}`;
}

/** A copy of the file, changed. */
function copyOf(name: string, ...changes: readonly (readonly [string | RegExp, string])[]): string {
  const path = join(folder, name);
  const text = changes.reduce((before, [from, to]) => before.replaceAll(from, to), readFile(name));
  writeFileSync(path, text);
  return path;
}

describe('its own program takes', () => {
  const itWith = (program: string) => (isInstalled(program) ? it : it.skip);

  itWith('systemd-analyze')('the unit (skipped without systemd-analyze)', () => {
    const path = copyOf('quayside.service', ['/opt/quayside/', ROOT]);
    expect(complaint('systemd-analyze', ['verify', '--man=no', path], true)).toBe(null);
  });

  itWith('nginx')('the site of nginx (skipped without nginx)', () => {
    // The certificate is the reader's own, and ports below 1024 are root's.
    const site = copyOf(
      'nginx.conf',
      [/^.*(?:ssl_certificate|listen \[::\]).*$/gm, ''],
      [/listen 443 ssl/g, 'listen 8443'],
    );
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder};`,
    );
    const whole = join(folder, 'whole.conf');
    const http = `http { access_log off; ${temporary.join(' ')} include ${site}; }`;
    writeFileSync(whole, `pid ${folder}/pid; error_log stderr; events {} ${http}`);
    expect(complaint('nginx', ['-t', '-q', '-e', 'stderr', '-c', whole])).toBe(null);
  });

  itWith('caddy')('the Caddyfile (skipped without caddy)', () => {
    expect(
      complaint('caddy', [
        'validate',
        '--adapter',
        'caddyfile',
        '--config',
        `${ROOT}deploy/Caddyfile`,
      ]),
    ).toBe(null);
  });
});

describe('the files', () => {
  it.each(FILES)('%s names only settings and files that there are', (name) => {
    const text = readFile(name);
    for (const [setting] of text.matchAll(/QUAYSIDE_[A-Z_]+/g))
      expect(VARIABLES).toContain(setting);
    for (const [, path = ''] of text.matchAll(/\/opt\/quayside\/((?:docs|src)\/[\w./-]+\w)/g)) {
      expect(existsSync(ROOT + path), path).toBe(true);
    }
    for (const [, path = ''] of text.matchAll(/^COPY ([^-\s]\S*)/gm))
      expect(existsSync(ROOT + path), path).toBe(true);
    expect(text).not.toMatch(/:latest|--privileged|privileged: true/);
  });

  it('leave the server more time to end than it takes', () => {
    const { drainSeconds } = parseConfig({});
    const given = [
      /TimeoutStopSec=(\d+)/.exec(readFile('quayside.service')),
      /grace_period: (\d+)s/.exec(readFile('compose.yaml')),
    ];
    for (const match of given) expect(Number(match?.[1])).toBeGreaterThan(drainSeconds + 15);
  });

  it('hand requests on as they were signed, unbuffered, over HTTP/1.1', () => {
    const nginx = readFile('nginx.conf');
    for (const line of [
      'proxy_pass http://quayside;',
      'proxy_set_header Host $http_host;',
      'client_max_body_size 0;',
      'proxy_request_buffering off;',
      'proxy_buffering off;',
      'proxy_http_version 1.1;',
      'merge_slashes off;',
    ]) {
      expect(nginx).toContain(`  ${line}\n`);
    }
    expect(readFile('Caddyfile')).not.toMatch(/header_up\s+-?Host|strip_prefix|^\s*encode/m);
  });
});
