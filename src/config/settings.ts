// All settings, in the groups of docs/configuration.md. config.ts parses by them.
import { BILLING_SETTINGS, LOG_SETTINGS } from './operation-settings.ts';
import { FRESHNESS_SETTINGS, MEMORY_SETTINGS } from './read-settings.ts';
import {
  ADDRESS_SETTINGS,
  CONNECTION_SETTINGS,
  KEY_SETTINGS,
  PLACE_SETTINGS,
} from './service-settings.ts';
import type { SettingTable } from './setting.ts';
import { WEBHOOK_SETTINGS, WRITE_SETTINGS } from './write-settings.ts';

/**
 * Settings that are members of Config by their own name; those of webhooks stand in
 * `webhooks`.
 */
export const SETTINGS = {
  ...PLACE_SETTINGS,
  ...KEY_SETTINGS,
  ...ADDRESS_SETTINGS,
  ...CONNECTION_SETTINGS,
  ...FRESHNESS_SETTINGS,
  ...MEMORY_SETTINGS,
  ...WRITE_SETTINGS,
  ...LOG_SETTINGS,
  ...BILLING_SETTINGS,
} as const;

export type SettingGroup = { readonly title: string; readonly settings: SettingTable };

/** The groups in the order of the page. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  { title: 'Place and process', settings: PLACE_SETTINGS },
  { title: 'Keys', settings: KEY_SETTINGS },
  { title: 'Addresses', settings: ADDRESS_SETTINGS },
  { title: 'Connections', settings: CONNECTION_SETTINGS },
  { title: 'Freshness of reads', settings: FRESHNESS_SETTINGS },
  { title: 'Memory and derived bytes', settings: MEMORY_SETTINGS },
  { title: 'Writes and background work', settings: WRITE_SETTINGS },
  { title: 'Webhooks', settings: WEBHOOK_SETTINGS },
  { title: 'Logs and metrics', settings: LOG_SETTINGS },
  { title: 'JSON API and bills', settings: BILLING_SETTINGS },
];

/** Every variable that configures the server. */
export const VARIABLES: readonly string[] = SETTING_GROUPS.flatMap(({ settings }) =>
  Object.values(settings).map(({ variable }) => variable),
);
