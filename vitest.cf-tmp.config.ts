import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: { projects: [ { plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' } })], test: { name: 'workerd', include: ['test/workerd/**/*.test.ts'], testTimeout: 20_000 } } ] },
});
