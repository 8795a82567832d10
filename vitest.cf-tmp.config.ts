import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: { projects: [ { plugins: [cloudflareTest({ main: './test/workerd/main.ts', wrangler: { configPath: './wrangler.toml' } })], test: { name: 'workerd', include: ['test/workerd/**/*.test.ts'] } } ] },
});
