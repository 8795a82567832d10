// Writes docs/configuration.md from the tables in src/config: `node scripts/configuration-page.ts`.
// test/docs/configuration.test.ts says when it was forgotten.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Setting } from '../src/config/setting.ts';
import { SETTING_GROUPS } from '../src/config/settings.ts';
import { wrapText } from './wrap-text.ts';

const PAGE = fileURLToPath(new URL('../docs/configuration.md', import.meta.url));

const INTRO = `# Configuration

<!-- Made by scripts/configuration-page.ts from the tables in src/config: change those. -->

Settings come from the environment, on Node also from a file \`.env\` in the working folder, on
Cloudflare from variables and secrets. An empty text counts as not set. A value that cannot be used
ends the start and says why; on Cloudflare every response is then a 503 that says so.

A variable that begins with \`QUAYSIDE_\` and is no setting is named in the log at the start
(\`unknown-setting\`), with the nearest setting.

Secrets are \`QUAYSIDE_ROOT_SECRET_KEY\`, \`QUAYSIDE_MASTER_KEY\`, \`QUAYSIDE_SEED\`,
\`QUAYSIDE_METRICS_TOKEN\` and \`QUAYSIDE_STRIPE_SECRET_KEY\`: on Cloudflare put them with
\`wrangler secret put\`, never into \`wrangler.toml\`.
`;

function defaultOf({ defaultText, only }: Setting<unknown>): string {
  const { node, cloudflare } = defaultText;
  if (only !== null) return defaultText[only];
  return node === cloudflare ? node : `Node ${node}; Cloudflare ${cloudflare}`;
}

const PLATFORM_NAMES = { node: 'Node', cloudflare: 'Cloudflare' } as const;

function settingText(setting: Setting<unknown>): string {
  const { variable, meaning, unit, allowed, only } = setting;
  const platforms = only === null ? 'Node, Cloudflare' : PLATFORM_NAMES[only];
  const facts = [
    `Default: ${defaultOf(setting)}`,
    ...(unit === null ? [] : [`Unit: ${unit}`]),
    ...(allowed === null ? [] : [`Allowed: ${allowed}`]),
    `Platforms: ${platforms}`,
  ];
  const list = facts.map((fact) => `- ${fact}`).join('\n');
  return `### ${variable}\n\n${wrapText(meaning)}\n\n${list}\n`;
}

/** The whole page. */
export function configurationPage(): string {
  const groups = SETTING_GROUPS.map(({ title, settings }) => {
    const texts = Object.values(settings).map(settingText);
    return `## ${title}\n\n${texts.join('\n')}`;
  });
  return [INTRO, ...groups].join('\n');
}

if (import.meta.main) writeFileSync(PAGE, configurationPage());
