// Snippets of access keys: their texts, and what a machine can run of them, against a server on
// Node. A program that is not installed is skipped, and the reason is printed.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import {
  type Connection,
  profileOf,
  SNIPPET_IDS,
  type Snippet,
  type SnippetId,
  snippetsOf,
} from '../../src/console/views/keys/snippets.ts';
import { temporaryFolder } from '../node/kit/temporary-folder.ts';
import { startServer, type WireServer } from './kit/server.ts';

const EXAMPLE: Connection = {
  endpoint: 'https://files.example',
  region: 'auto',
  bucket: 'assets',
  prefix: "it's/",
  keyId: 'QSEXAMPLE',
  secret: 'secret-of-example',
  profile: 'web-deploy',
  first: 'put',
};

const snippetOf = (id: SnippetId, to: Connection): Snippet => {
  const snippet = snippetsOf(to).find((one) => one.id === id);
  if (snippet === undefined) throw new Error(`no snippet ${id}`);
  return snippet;
};

const textOf = ({ files, trial }: Snippet): string =>
  [...files.map(({ text }) => text), trial].join('\n');

describe('9: the texts of snippets', () => {
  it('9: are ten kinds, each with endpoint, key and secret of its own', () => {
    const snippets = snippetsOf(EXAMPLE);
    expect(snippets.map(({ id }) => id)).toEqual(SNIPPET_IDS);
    expect(snippets).toHaveLength(10);
    for (const snippet of snippets) {
      const text = textOf(snippet);
      expect(text, snippet.id).toContain('files.example');
      expect(text, snippet.id).toContain('assets');
      expect(text, snippet.id).toContain('QSEXAMPLE');
      expect(text, snippet.id).toContain('secret-of-example');
    }
  });

  it('9: quote names for the language that they stand in', () => {
    const odd = { ...EXAMPLE, prefix: '$' + '{a}"<&/' };
    expect(textOf(snippetOf('aws', EXAMPLE))).toContain(`'s3://assets/it'\\''s/hello.txt'`);
    expect(textOf(snippetOf('terraform', odd))).toContain('$$' + '{a}\\"<&/');
    expect(textOf(snippetOf('cyberduck', odd))).toContain('{a}"&lt;&amp;/');
    expect(textOf(snippetOf('curl', odd))).toContain('%24%7Ba%7D%22%3C%26/hello.txt');
  });

  it('9: begin with what the key may do', () => {
    const listing = snippetOf('aws', { ...EXAMPLE, prefix: '', first: 'list' });
    const reading = snippetOf('aws', { ...EXAMPLE, prefix: '', first: 'get' });
    expect(listing.trial).toBe('aws --profile web-deploy s3 ls s3://assets/');
    expect(reading.trial).toContain('s3 cp s3://assets/hello.txt hello.txt');
    const below = snippetOf('env', { ...EXAMPLE, prefix: 'site/', first: 'list' });
    expect(below.trial).toContain('aws s3 ls s3://assets/site/');
  });

  it('9: name a profile as programs take it', () => {
    expect(profileOf('Web deploy (CI)')).toBe('web-deploy-ci');
    expect(profileOf('部署')).toBe('quayside');
    expect(profileOf('x'.repeat(200))).toHaveLength(40);
  });
});

/** Why a program can't be run here; null: it can. */
function missing(program: string, ...versionArguments: string[]): string | null {
  try {
    execFileSync(program, versionArguments, { stdio: 'ignore', timeout: 20_000 });
    return null;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

const PROGRAMS: readonly { id: SnippetId; reason: string | null }[] = [
  { id: 'curl', reason: missing('curl', '--version') },
  { id: 'sdk', reason: null },
  { id: 'aws', reason: missing('aws', '--version') },
  { id: 'env', reason: missing('aws', '--version') },
  { id: 'boto3', reason: missing('python3', '-c', 'import boto3') },
  { id: 'rclone', reason: missing('rclone', 'version') },
  { id: 's3cmd', reason: missing('s3cmd', '--version') },
  { id: 'restic', reason: missing('restic', 'version') },
];

const CLIENT = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url));
const run = promisify(execFile);

describe('9: snippets run as they are', () => {
  let server: WireServer;
  let client: Client;
  beforeAll(async () => {
    server = await startServer();
    const { url, accessKey: id, secretKey: secret } = server.target;
    client = createClient({ endpoint: url, accessKey: { id, secret } });
    await client.buckets.create({ body: { name: 'snippets' } });
  });
  afterAll(async () => {
    await server?.stop();
  });

  /** A key that may do what the form offers, below one prefix. */
  async function connect(id: SnippetId): Promise<Connection> {
    const prefix = `by ${id}/`;
    const actions = [
      's3:GetObject*',
      's3:PutObject',
      's3:ListBucket*',
      's3:GetBucketLocation',
      's3:DeleteObject',
    ];
    // restic looks at the whole bucket.
    const prefixes = id === 'restic' ? null : [prefix];
    const scope = { buckets: ['snippets'], prefixes, actions };
    const made = await client.keys.create({ body: { name: id, scope } });
    return {
      endpoint: server.target.url,
      region: 'auto',
      bucket: 'snippets',
      prefix,
      keyId: made.id,
      secret: made.secretAccessKey,
      profile: id,
      first: 'put',
    };
  }

  /** Writes the files below a home of their own, and runs the trial there. */
  async function perform(snippet: Snippet, home: string): Promise<string> {
    writeFileSync(join(home, 'hello.txt'), 'hello');
    writeFileSync(join(home, 'restic-password.txt'), 'of the test');
    for (const { name, text } of snippet.files) {
      const path = join(home, name.replace('~/', ''));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    const [file] = snippet.files;
    const program = `${file?.text ?? ''}\n${snippet.trial}\n`;
    const options = {
      cwd: home,
      timeout: 60_000,
      env: {
        PATH: process.env.PATH ?? '',
        PYENV_ROOT: process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'),
        HOME: home,
      },
    };
    if (snippet.id === 'sdk') {
      const script = join(home, 'storage.ts');
      writeFileSync(script, program.replace("'quayside/client'", JSON.stringify(CLIENT)));
      return (await run(process.execPath, [script], options)).stdout;
    }
    if (snippet.id === 'boto3') return (await run('python3', ['-c', program], options)).stdout;
    return (await run('sh', ['-c', snippet.trial], options)).stdout;
  }

  for (const { id, reason } of PROGRAMS) {
    it(`9: ${id}`, async (context) => {
      if (reason !== null) {
        process.stdout.write(`skipped: the snippet ${id} is not run: ${reason.split('\n')[0]}\n`);
        context.skip();
      }
      const to = await connect(id);
      const printed = await perform(snippetOf(id, to), temporaryFolder());
      if (id === 'restic') return expect(printed).toContain('saved');
      const download = await client.download('snippets', `${to.prefix}hello.txt`);
      expect(await download.text()).toBe('hello');
    });
  }
});
