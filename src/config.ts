// The settings of both platforms, parsed once at the start from the environment.
// node.ts and worker.ts call it; everything below gets a Config, never an
// environment. The tables in config/ say what each setting is; limits that S3 fixes
// are core/limits.ts, not settings.

import { ConfigError } from './config/parse-texts.ts';
import { parseSeedText } from './config/service-settings.ts';
import type { Platform, Setting, SettingTable, ValuesOf } from './config/setting.ts';
import { SETTINGS } from './config/settings.ts';
import { WEBHOOK_SETTINGS } from './config/write-settings.ts';
import { parseSeededKmsKeys } from './core/auth/seed.ts';
import { type MasterKeys, parseMasterKeys } from './core/encryption/master-keys.ts';
import type { WebhookSettings } from './core/outbox/webhook-settings.ts';

export { warnOfUnknown } from './config/unknown-variables.ts';
export { ConfigError };

/** The value of every setting; the tables in config/ say what each means. */
export type Config = ValuesOf<typeof SETTINGS> & {
  /** Ids of KMS keys that QUAYSIDE_SEED wants made (`kmsKeys`). */
  readonly seededKmsKeys: readonly string[];
  /**
   * Hosts of the service itself, in lower case without ports: both domains and
   * those of QUAYSIDE_OWN_HOSTS. No bucket can be bound to them or to what is below
   * them.
   */
  readonly ownHosts: readonly string[];
  /**
   * Whether QUAYSIDE_OWN_HOSTS is set: until then only the root account can bind
   * hosts.
   */
  readonly accountsMayBindHosts: boolean;
  /** How messages go to webhooks. */
  readonly webhooks: WebhookSettings;
};

type Environment = Readonly<Record<string, unknown>>;
type ReadText = (variable: string) => string | null;

/**
 * Parses the settings of an environment, or of the bindings of a Worker, where only
 * texts count. ConfigError.
 */
export function parseConfig(env: Environment, platform: Platform = 'node'): Config {
  const readText: ReadText = (variable) => {
    const value = env[variable];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const values = parseTable(SETTINGS, readText, platform);
  const { baseDomain, websiteDomain, namedOwnHosts } = values;
  const domains = [baseDomain, websiteDomain].filter((domain) => domain !== null);

  return {
    ...values,
    seededKmsKeys: parseSeedText(readText(SETTINGS.seed.variable), parseSeededKmsKeys),
    ownHosts: [...domains, ...(namedOwnHosts ?? [])],
    accountsMayBindHosts: namedOwnHosts !== null,
    webhooks: parseTable(WEBHOOK_SETTINGS, readText, platform),
  };
}

/** Parses the values of a table. ConfigError. */
function parseTable<Table extends SettingTable>(
  table: Table,
  readText: ReadText,
  platform: Platform,
): ValuesOf<Table> {
  const parse = ([name, setting]: [string, Setting<unknown>]) => {
    return [name, setting.parse(readText(setting.variable), platform)] as const;
  };
  // Object.entries has lost which name has which type.
  return Object.fromEntries(Object.entries(table).map(parse)) as ValuesOf<Table>;
}

/**
 * Master keys of the settings and, behind them, those of the data folder's file. An
 * operator who moves from one to the other, or rotates keys, can still read what
 * the old ones wrapped. ConfigError when the text is damaged; it is never shown.
 */
export function withStoredMasterKeys(
  configured: MasterKeys,
  storedText: string | null,
): MasterKeys {
  const stored = storedText === null ? [] : parseMasterKeys(storedText);
  if (stored === null) {
    throw new ConfigError(
      'The file master-key in the data folder holds no master key. ' +
        'Restore it: what it protects can be read with it alone.',
    );
  }
  const known = new Set(configured.map(({ id }) => id));
  return [...configured, ...stored.filter(({ id }) => !known.has(id))];
}
