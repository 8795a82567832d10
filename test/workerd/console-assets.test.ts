// The console's files behind an assets binding: as every adapter, and what a binding answers that
// has no file or fails. Then the binding of wrangler.toml itself.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createConsoleAssets } from '../../src/adapters/cloudflare/clients/console-assets.ts';
import { consoleFilesContract } from '../contract/console-files.contract.ts';
import { consoleFolderFiles } from '../http/console/console-fixture.ts';

function bindingOver(folder: Map<string, Uint8Array>): Pick<Fetcher, 'fetch'> {
  const answer = async (input: RequestInfo | URL) => {
    const bytes = folder.get(new URL(String(input)).pathname.slice(1));
    return new Response(bytes ?? null, { status: bytes === undefined ? 404 : 200 });
  };
  return { fetch: answer as Fetcher['fetch'] };
}

consoleFilesContract({
  name: 'an assets binding',
  make: async () => {
    const folder = new Map<string, Uint8Array>();
    const fill = async (files: ReadonlyMap<string, Uint8Array>) => {
      for (const [name, bytes] of files) folder.set(name, bytes);
    };
    return { files: createConsoleAssets(bindingOver(folder)), fill };
  },
});

describe('the assets binding', () => {
  it('has no console where a deployment has no binding', async () => {
    expect(await createConsoleAssets(null).open()).toBeNull();
  });

  it('is an error when it fails, or lost a file of its list', async () => {
    const failing = {
      fetch: (async () => new Response(null, { status: 500 })) as Fetcher['fetch'],
    };
    await expect(createConsoleAssets(failing).open()).rejects.toThrow('500');
    const folder = new Map(consoleFolderFiles());
    const opened = await createConsoleAssets(bindingOver(folder)).open();
    folder.delete('index.html');
    await expect(opened?.read('index.html', null)).rejects.toThrow('index.html');
  });

  it('of wrangler.toml answers for every path by itself, without redirects', async () => {
    const answer = await env.CONSOLE?.fetch('https://console.invalid/no-such-file');
    expect(answer?.status).toBe(404);
  });
});
