// File names with a content hash, of many build tools, and names that only look so.
import { expect, it } from 'vitest';
import { hasHashedName } from '../../../src/core/hosting/hashed-names.ts';

it.each([
  // webpack, CRA, vue-cli, Parcel
  'app.3f2a91bc.js',
  'js/app.3f2a91bc.js.map',
  'static/css/main-0a1b2c3d4e5f.css',
  'static/js/2.6ce24c58.chunk.js.map',
  'static/js/2.6ce24c58023cc2f8fd88.js',
  'static/media/logo.6ce24c58023cc2f8fd88fe9d219db6c6.svg',
  'chunk-9c8d7e6f.mjs',
  'fonts/inter.3f2a91bc0d1e2f3a4b5c6d7e8f901234.woff2',
  // Sprockets, Hugo
  `assets/application-${'3f2a91bc'.repeat(8)}.css`,
  'style.3f2a91bc0d1e2f3a4b5c6d7e8f9012343f2a91bc.css',
  // Vite, Rollup
  'assets/index-DiwrgT4a.js',
  'index-DiwrgT4a.js',
  'assets/logo-B7xQ2_kP.svg',
  'assets/page-a-C3x-9kQ2.css',
  // esbuild, Angular
  'main-7VXQZK3M.js',
  'assets/logo-7VXQZK3M.png',
  // Next.js, Nuxt, Astro, SvelteKit, Trunk
  '_next/static/chunks/main-3f2a91bc01d2e3f4.js',
  'shop/_next/static/css/3f2a91bc01d2e3f4.css',
  '_nuxt/DiwrgT4a.js',
  '_astro/photo.DiwrgT4a.webp',
  '_app/immutable/chunks/Settings.js',
  'app-3f2a91bc01d2e3f4.wasm',
  '-3f2a91bc01d2e3f4.js',
])('%s is named by its content', (key) => expect(hasHashedName(key)).toBe(true));

it.each([
  'app.js',
  '3f2a91bc.js',
  'DiwrgT4a.js',
  'deadbeefdeadbeef/app.js',
  'app.3f2a91b.js',
  'jquery-3.7.1.min.js',
  'app.3f2a91bc',
  'app.3f2a91bc/',
  '_app/immutable/',
  '',
  // Ids, of things that change
  'avatars/550e8400-e29b-41d4-a716-4466554400ab.png',
  'assets/550e8400-e29b-41d4-a716-4466554400ab.png',
  'assets/user-550e8400e29b41d4a7164466554400ab.png',
  'photos/user-65a1b2c3d4e5f60718293a4b.jpg',
  'static/user-65a1b2c3d4e5f60718293a4b.jpg',
  'static/user-65a1b2c3d4e5f60718293a4b.js',
  // Dates
  'report-20240131.pdf',
  'invoice.12345678.pdf',
  'minutes-20dec2024.pdf',
  'assets/minutes-20dec2024.png',
  'assets/sales-2023feb1.js',
  'sales_2023feb1.csv',
  'report-20240131a.js',
  // Words
  'face-deadbeef.js',
  'lib-facade12.js',
  'user-settings.css',
  'user-Settings.js',
  'foo-McDonald.js',
  'assets/logo-YouTube2.svg',
  'logo-YouTube2.svg',
  'net-IPv4Addr.js',
  'assets/app-iOS17App.js',
  'lib-WIN32API.js',
  'lib-ES6SHIMS.js',
  'assets/MY-DOCUMENT.js',
  'Notes-Version2.js',
  'assets/photo-IMG2024a.jpg',
  // What people upload by hand, and other folders than those of build tools
  'photos/cat-3f2a91bc.jpg',
  'img/cat-DiwrgT4a.jpg',
  'assets/data.3f2a91bc.json',
  'assets/report.3f2a91bc.pdf',
  'about.3f2a91bc.html',
])('%s is not', (key) => expect(hasHashedName(key)).toBe(false));
