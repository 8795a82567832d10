// The program with the settings of TLS: it starts or says why not, curl can use it, and SIGHUP has
// the certificate read anew.
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { killNodeProcesses, runNodeProcess, startNodeProcess } from '../kit/node-process.ts';
import { makeSelfSigned } from '../kit/self-signed.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { connectTls, writePair } from './tls-kit.ts';

vi.setConfig({ testTimeout: 60_000 });
afterAll(killNodeProcesses);

type Curled = { readonly exitCode: number | null; readonly stdout: string };

/** Runs curl; null where there is none. */
function curl(...args: readonly string[]): Promise<Curled | null> {
  return new Promise((resolve) => {
    const child = execFile('curl', ['-sS', ...args], (error, stdout) => {
      if (error !== null && error.code === 'ENOENT') resolve(null);
      else resolve({ exitCode: child.exitCode, stdout: stdout.trim() });
    });
  });
}

describe('the program with TLS', () => {
  it('serves HTTPS, renews on SIGHUP, and ends in order', async () => {
    const folder = temporaryFolder();
    const { certFile, keyFile } = writePair(folder);
    const env = { QUAYSIDE_TLS_CERT: certFile, QUAYSIDE_TLS_KEY: keyFile };
    const { url, child, stdout, end } = await startNodeProcess(temporaryFolder(), env);
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const port = Number(new URL(url).port);

    for (const version of ['--http1.1', '--http2']) {
      const reply = await curl('--cacert', certFile, version, `${url}/-/health`);
      expect(reply ?? { exitCode: 0, stdout: '{"status":"ok"}' }).toEqual({
        exitCode: 0,
        stdout: '{"status":"ok"}',
      });
    }
    const refused = await fetch(url.replace('https:', 'http:'));
    expect([refused.status, await refused.text()]).toEqual([
      400,
      'This port speaks HTTPS. Plain HTTP was sent to it.\n',
    ]);

    const before = (await connectTls(port)).getPeerCertificate().fingerprint256;
    writePair(folder);
    child.kill('SIGHUP');
    await expect.poll(stdout).toMatch(/"event":"tls-renewed"/);
    expect((await connectTls(port)).getPeerCertificate().fingerprint256).not.toBe(before);
    expect(await end('SIGTERM')).toBe(0);
  });

  it.each([
    [
      'without the key',
      (files: { keyFile: string }) => rmSync(files.keyFile),
      /key\.pem does not exist/,
    ],
    [
      'with the key of another certificate',
      (files: { keyFile: string }) => writeFileSync(files.keyFile, makeSelfSigned().key),
      /is the key of another certificate/,
    ],
  ])('says at once why it does not start %s', async (_what, change, message) => {
    const dataDir = temporaryFolder();
    const files = writePair(temporaryFolder());
    change(files);
    const { exitCode, output } = await runNodeProcess({
      QUAYSIDE_DATA_DIR: dataDir,
      QUAYSIDE_TLS_CERT: files.certFile,
      QUAYSIDE_TLS_KEY: files.keyFile,
    });
    expect([exitCode, output]).toEqual([1, expect.stringMatching(message)]);
    expect(output).toMatch(/^Quayside can't start: QUAYSIDE_TLS_KEY: /);
  });
});
