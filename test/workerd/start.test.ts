// What a Worker says when it starts: unknown settings in its log, its version to whoever wants it.
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import { VERSION } from '../../src/ports/version.ts';
import worker from '../../src/worker.ts';

/** Bindings of an isolate that has just begun, with further variables. */
const freshEnv = (variables: Readonly<Record<string, string>>) => ({ ...env, ...variables });

const ask = async (target: string, bindings: typeof env) => {
  const request = new Request(`https://files.example${target}`) as Parameters<
    typeof worker.fetch
  >[0];
  return worker.fetch(request, bindings, createExecutionContext());
};

it('a start names a misspelt setting once, with the one meant and without its value', async () => {
  const lines: string[] = [];
  const spy = vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(`${line}`));
  const bindings = freshEnv({ QUAYSIDE_MASTERKEY: 'very-secret', QUAYSIDE_LOG_LEVEL: 'error' });
  for (let call = 0; call < 2; call += 1) {
    expect((await ask('/-/health', bindings)).status).toBe(200);
  }
  spy.mockRestore();
  const unknown = lines.filter((line) => line.includes('unknown-setting'));
  expect(unknown).toHaveLength(1);
  expect(JSON.parse(unknown[0] ?? '')).toMatchObject({
    level: 'error',
    variable: 'QUAYSIDE_MASTERKEY',
    nearest: 'QUAYSIDE_MASTER_KEY',
  });
  expect(lines.join()).not.toContain('very-secret');
});

it('the Worker reports its version at the verbose health page', async () => {
  const bindings = freshEnv({});
  const [brief, verbose] = await Promise.all(
    ['/-/health', '/-/health?verbose'].map(async (target) => (await ask(target, bindings)).json()),
  );
  expect([brief, verbose]).toEqual([{ status: 'ok' }, { status: 'ok', version: VERSION }]);
});
