// docs/configuration.md is what the tables of settings make, and the tables are sound.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configurationPage } from '../../scripts/configuration-page.ts';
import { SETTING_GROUPS, SETTINGS, VARIABLES } from '../../src/config/settings.ts';
import { WEBHOOK_SETTINGS } from '../../src/config/write-settings.ts';

const settings = SETTING_GROUPS.flatMap((group) => Object.values(group.settings));

it('docs/configuration.md is made anew by `node scripts/configuration-page.ts`', () => {
  const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  expect(page).toBe(configurationPage());
});

describe('the tables', () => {
  it('have every setting in one group, and each variable once', () => {
    const parsed = [...Object.values(SETTINGS), ...Object.values(WEBHOOK_SETTINGS)];
    expect(new Set(settings)).toEqual(new Set(parsed));
    expect(settings).toHaveLength(parsed.length);
    expect(new Set(VARIABLES).size).toBe(settings.length);
  });

  it.each(settings)('$variable has a name of our form and a meaning in sentences', (setting) => {
    expect(setting.variable).toMatch(/^QUAYSIDE_[A-Z0-9_]+$/);
    expect(setting.variable.length).toBeLessThanOrEqual(64);
    expect(setting.meaning).toMatch(/^[A-Z].*[.]$/);
  });

  it.each(settings)('$variable has the default that is shown', ({ defaultText, parse }) => {
    for (const platform of ['node', 'cloudflare'] as const) {
      const shown = /^`?([\w.:/-]+)`?(?: \(.*\))?$/.exec(defaultText[platform])?.[1];
      const value = parse(null, platform);
      if (typeof value === 'number' && Number.isFinite(value)) {
        expect([Number(shown), Number(shown) * 1000]).toContain(value);
      } else if (typeof value === 'boolean') {
        expect(shown).toBe(value ? 'on' : 'off');
      } else if (typeof value === 'string' && shown !== undefined) {
        expect(value).toBe(shown);
      } else {
        expect(defaultText[platform]).not.toBe('');
      }
    }
  });
});
