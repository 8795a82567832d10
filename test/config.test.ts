// Settings from an environment: defaults, bounds, and errors that name the variable.
import { describe, expect, it } from 'vitest';
import { ConfigError, parseConfig, withStoredMasterKeys } from '../src/config.ts';

describe('parseConfig', () => {
  it('needs nothing', () => {
    expect(parseConfig({})).toMatchObject({
      port: 9000,
      host: '127.0.0.1',
      dataDir: './data',
      rootAccessKey: null,
      rootSecretKey: null,
      baseDomain: null,
      websiteDomain: null,
      region: 'auto',
      pointerFreshSeconds: 3,
      staleWhileRevalidateSeconds: 2,
      staleIfErrorSeconds: 3600,
      tierLimitMs: 30_000,
      graceSeconds: 86_400,
      lifecycleDaySeconds: 86_400,
      staleUploadHours: 24,
      transitionMinBytes: 131_072,
      zipMaxObjects: 10_000,
      subrequestsMax: Number.POSITIVE_INFINITY,
      zipIdleSeconds: 3600,
      logLevel: 'info',
    });
  });

  it('reads what is set, and takes empty for not set', () => {
    const config = parseConfig({
      QUAYSIDE_PORT: '0',
      QUAYSIDE_HOST: '::1',
      QUAYSIDE_DATA_DIR: '/srv/a b',
      QUAYSIDE_BASE_DOMAIN: 'Storage.Example.com',
      QUAYSIDE_WEBSITE_DOMAIN: 'Web.Example.com',
      QUAYSIDE_REGION: 'us-east-1',
      QUAYSIDE_ROOT_ACCESS_KEY: 'root-key',
      QUAYSIDE_ROOT_SECRET_KEY: ' with+slash/and=signs ',
      QUAYSIDE_INLINE_MAX_BYTES: '',
      QUAYSIDE_LOG_LEVEL: 'off',
    });
    expect(config).toMatchObject({
      port: 0,
      host: '::1',
      dataDir: '/srv/a b',
      baseDomain: 'storage.example.com',
      websiteDomain: 'web.example.com',
      region: 'us-east-1',
      rootAccessKey: 'root-key',
      rootSecretKey: 'with+slash/and=signs',
      inlineBodyMaxBytes: parseConfig({}).inlineBodyMaxBytes,
      logLevel: 'off',
    });
  });

  it('reads who bills by which prices, and where usage is reported', () => {
    expect(parseConfig({})).toMatchObject({
      rateCardId: 'cloudflare-r2',
      invoiceIssuer: 'Quayside',
      billingCloseHours: 24,
      stripeSecretKey: null,
      stripeUrl: 'https://api.stripe.com',
    });
    for (const [variable, value] of [
      ['QUAYSIDE_RATE_CARD', 'No Card'],
      ['QUAYSIDE_INVOICE_ISSUER', 'two\nlines'],
      ['QUAYSIDE_BILLING_CLOSE_HOURS', '0'],
      ['QUAYSIDE_STRIPE_SECRET_KEY', 'short'],
      ['QUAYSIDE_STRIPE_URL', 'https://api.stripe.com/v1'],
      ['QUAYSIDE_STRIPE_URL', 'http://api.stripe.com'],
    ] as const) {
      expect(() => parseConfig({ [variable]: value })).toThrow(new RegExp(variable));
    }
  });

  it('knows who is asked for records of DNS', () => {
    const resolver = (text: string, platform: 'node' | 'cloudflare' = 'node') =>
      parseConfig({ QUAYSIDE_DNS_RESOLVER: text }, platform).dnsResolver;
    expect(parseConfig({})).toMatchObject({
      requiresHostProof: true,
      dnsResolver: { url: null, servers: [] },
    });
    expect(parseConfig({ QUAYSIDE_HOST_PROOF: 'off' }).requiresHostProof).toBe(false);
    const servers = ['1.1.1.1', '127.0.0.1:5353', '::1', '[2606:4700::1111]:53'];
    expect(resolver(servers.join(', '))).toEqual({ url: null, servers });
    for (const url of ['https://dns.example/dns-query', 'http://127.0.0.1:8053/resolve']) {
      for (const platform of ['node', 'cloudflare'] as const)
        expect(resolver(url, platform)).toEqual({ url, servers: [] });
    }
    for (const text of [
      '1.1.1.256',
      '1.1',
      '1.1.1.1:99999',
      ':::1',
      '[::1]',
      'dns.example',
      'http://dns.example/q',
      ',',
    ]) {
      expect(() => resolver(text), text).toThrow(/QUAYSIDE_DNS_RESOLVER must be addresses/);
    }
    expect(() => resolver('1.1.1.1', 'cloudflare')).toThrow(/must be the https/);
  });

  it('knows the hosts of the service: its domains, and those that are named', () => {
    expect(parseConfig({})).toMatchObject({ ownHosts: [], accountsMayBindHosts: false });
    const { ownHosts, accountsMayBindHosts } = parseConfig({
      QUAYSIDE_BASE_DOMAIN: 'Storage.example',
      QUAYSIDE_OWN_HOSTS: ' console.example, S3.example,',
    });
    expect([ownHosts, accountsMayBindHosts]).toEqual([
      ['storage.example', 'console.example', 's3.example'],
      true,
    ]);
    expect(parseConfig({ QUAYSIDE_BASE_DOMAIN: 'storage.example' }).accountsMayBindHosts).toBe(
      false,
    );
    expect(() => parseConfig({ QUAYSIDE_OWN_HOSTS: 'https://a.example' })).toThrow(
      /QUAYSIDE_OWN_HOSTS must be a domain/,
    );
  });

  it('reads master keys in hex and base64, the newest first, and shows none of them', () => {
    const [a, b] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(0xff)];
    expect(parseConfig({}).masterKeys).toEqual([]);
    const text = `${a.toHex()}, ${b.toBase64()}`;
    expect(parseConfig({ QUAYSIDE_MASTER_KEY: text }).masterKeys.map(({ key }) => key)).toEqual([
      a,
      b,
    ]);
    const urlSafe = b.toBase64({ alphabet: 'base64url', omitPadding: true });
    expect(parseConfig({ QUAYSIDE_MASTER_KEY: urlSafe }).masterKeys.map(({ key }) => key)).toEqual([
      b,
    ]);
    for (const wrong of [
      'short',
      a.toHex().slice(2),
      `${a.toHex()},${a.toBase64()}`,
      ',',
      `${a.toHex()},x`,
    ]) {
      const parse = () => parseConfig({ QUAYSIDE_MASTER_KEY: wrong });
      expect(parse).toThrow(ConfigError);
      expect(parse).not.toThrow(a.toHex().slice(0, 10));
    }
  });

  it('reads ids of master keys that the server may start without', () => {
    const ids = (text: string) =>
      parseConfig({ QUAYSIDE_WITHOUT_MASTER_KEYS: text }).withoutMasterKeys;
    expect([ids(''), ids('0a1b2c3d, ffffffff')]).toEqual([[], ['0a1b2c3d', 'ffffffff']]);
    for (const wrong of ['all', '0a1b2c3', '0A1B2C3D'])
      expect(() => ids(wrong)).toThrow(ConfigError);
  });

  it('keeps the master keys of a file behind those of the setting, each once', () => {
    const [a, b] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const { masterKeys } = parseConfig({ QUAYSIDE_MASTER_KEY: a.toHex() });
    const ids = (keys: readonly { id: string }[]) => keys.map(({ id }) => id);
    const both = withStoredMasterKeys(masterKeys, `${b.toBase64()}\n${a.toBase64()}\n`);
    expect(both.map(({ key }) => key)).toEqual([a, b]);
    expect(ids(withStoredMasterKeys(masterKeys, null))).toEqual(ids(masterKeys));
    expect(() => withStoredMasterKeys(masterKeys, 'damaged')).toThrow(ConfigError);
  });

  it('reads named keys to make from the seed, and refuses what can be none', () => {
    const seed = (kmsKeys: unknown) =>
      parseConfig({ QUAYSIDE_SEED: JSON.stringify({ accounts: [], kmsKeys }) });
    expect(seed(['testkey-1', 'alias/mine']).seededKmsKeys).toEqual(['testkey-1', 'alias/mine']);
    expect(parseConfig({ QUAYSIDE_SEED: '{"accounts":[]}' }).seededKmsKeys).toEqual([]);
    for (const wrong of ['testkey-1', [1], ['a b'], [''], {}])
      expect(() => seed(wrong)).toThrow(ConfigError);
  });

  it('knows how many connections there may be, and how slow', () => {
    expect(parseConfig({})).toMatchObject({
      connectionsMax: 4096,
      connectionsPerAddress: 1024,
      requestHeadMs: 30_000,
      receiveRateMin: 500,
    });
    expect(parseConfig({ QUAYSIDE_REQUEST_HEAD_SECONDS: '10' }).requestHeadMs).toBe(10_000);
    expect(parseConfig({ QUAYSIDE_CONNECTIONS_PER_ADDRESS: '0' }).connectionsPerAddress).toBe(0);
    expect(() => parseConfig({ QUAYSIDE_CONNECTIONS_MAX: '0' })).toThrow(ConfigError);
  });

  it('takes keys of clients over plain http from where the setting allows it', () => {
    expect(parseConfig({}).customerKeysOverHttp).toBe('loopback');
    expect(parseConfig({ QUAYSIDE_SSE_C_OVER_HTTP: 'never' }).customerKeysOverHttp).toBe('never');
    expect(() => parseConfig({ QUAYSIDE_SSE_C_OVER_HTTP: 'yes' })).toThrow(ConfigError);
  });

  it('takes on or off for a switch', () => {
    expect(parseConfig({}).isFastPathOn).toBe(true);
    expect(parseConfig({ QUAYSIDE_FAST_PATH: 'off' }).isFastPathOn).toBe(false);
    expect(parseConfig({}).isDevServer).toBe(false);
    expect(parseConfig({}).isSignatureV2On).toBe(true);
    expect(parseConfig({ QUAYSIDE_SIGNATURE_V2: 'off' }).isSignatureV2On).toBe(false);
    expect(parseConfig({}).mapsFiles).toBe(true);
    expect(parseConfig({ QUAYSIDE_MAPPED_FILES: 'off' }).mapsFiles).toBe(false);
    expect(() => parseConfig({ QUAYSIDE_FAST_PATH: 'no' })).toThrow(ConfigError);
  });

  it('reads the proxies that are believed', () => {
    expect(parseConfig({}).trustedProxies).toEqual([]);
    const list = '10.0.0.0/8, 127.0.0.1,2001:DB8::/32,::1';
    expect(parseConfig({ QUAYSIDE_TRUSTED_PROXIES: list }).trustedProxies).toEqual([
      '10.0.0.0/8',
      '127.0.0.1',
      '2001:db8::/32',
      '::1',
    ]);
    for (const wrong of [
      '10.0.0.0/33',
      '10.0.0',
      '1.2.3.256',
      'proxy',
      '::/129',
      ':::',
      '::1%lo',
      '10.0.0.1,',
      '*',
      '1/2/3',
    ]) {
      expect(() => parseConfig({ QUAYSIDE_TRUSTED_PROXIES: wrong }), wrong).toThrow(ConfigError);
    }
  });

  it('knows the formats of the access log', () => {
    expect(parseConfig({})).toMatchObject({ accessLog: 'off', accessLogFile: null });
    const env = { QUAYSIDE_ACCESS_LOG: 'json', QUAYSIDE_ACCESS_LOG_FILE: '/var/log/a' };
    expect(parseConfig(env)).toMatchObject({ accessLog: 'json', accessLogFile: '/var/log/a' });
    expect(() => parseConfig({ QUAYSIDE_ACCESS_LOG: 'common' })).toThrow(ConfigError);
  });

  it('takes a token for the metrics only when it is no short one', () => {
    expect(parseConfig({})).toMatchObject({ metricsToken: null, metricsBucketsMax: 0 });
    expect(parseConfig({ QUAYSIDE_METRICS_TOKEN: 'a'.repeat(16) }).metricsToken).toBe(
      'a'.repeat(16),
    );
    for (const wrong of ['short', 'a'.repeat(257), `${'a'.repeat(16)} b`, `${'a'.repeat(16)}ü`]) {
      expect(() => parseConfig({ QUAYSIDE_METRICS_TOKEN: wrong }), wrong).toThrow(ConfigError);
    }
  });

  it('looks only at texts, as the bindings of a Worker hold other things too', () => {
    expect(
      parseConfig({ QUAYSIDE_PORT: { get() {} }, BLOBS: {}, QUAYSIDE_REGION: undefined }).port,
    ).toBe(9000);
  });

  it('gives an isolate less memory than a server', () => {
    const [node, cloudflare] = [parseConfig({}, 'node'), parseConfig({}, 'cloudflare')];
    const memoryOf = (config: typeof node) =>
      config.bodyMemoryMaxBytes + config.pointerMemoryMaxBytes;
    expect(memoryOf(cloudflare)).toBeLessThan(64 * 1024 * 1024);
    expect(memoryOf(node)).toBeGreaterThan(memoryOf(cloudflare));
  });

  it.each([
    ['QUAYSIDE_PORT', '65536'],
    ['QUAYSIDE_PORT', '-1'],
    ['QUAYSIDE_PORT', '9000x'],
    ['QUAYSIDE_PORT', '1e3'],
    ['QUAYSIDE_INLINE_MAX_BYTES', '99999999'],
    ['QUAYSIDE_GRACE_SECONDS', '1'],
    ['QUAYSIDE_SWEEP_INTERVAL_SECONDS', '9999999'],
    ['QUAYSIDE_BASE_DOMAIN', 'https://example.com'],
    ['QUAYSIDE_WEBSITE_DOMAIN', '*.example.com'],
    ['QUAYSIDE_BASE_DOMAIN', 'example.com:9000'],
    ['QUAYSIDE_BASE_DOMAIN', '.example.com'],
    ['QUAYSIDE_REGION', 'US EAST'],
    ['QUAYSIDE_DEFAULT_CACHE_CONTROL', 'a\r\nX-Evil: 1'],
    ['QUAYSIDE_LOG_LEVEL', 'debug'],
    ['QUAYSIDE_ROOT_ACCESS_KEY', 'a/b'],
  ])('refuses %s=%j by name', (name, value) => {
    expect(() => parseConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => parseConfig({ [name]: value })).toThrow(name);
  });

  it('never shows a secret in an error', () => {
    const secret = 'short';
    expect(() => parseConfig({ QUAYSIDE_ROOT_SECRET_KEY: secret })).toThrow(
      /QUAYSIDE_ROOT_SECRET_KEY/,
    );
    expect(() => parseConfig({ QUAYSIDE_ROOT_SECRET_KEY: secret })).not.toThrow(secret);
  });
});
