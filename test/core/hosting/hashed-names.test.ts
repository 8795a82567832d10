import { expect, it } from 'vitest';
import { hasHashedName } from '../../../src/core/hosting/hashed-names.ts';

it.each([
  'app.3f2a91bc.js',
  'static/main-0a1b2c3d4e5f.css',
  'chunk_9c8d7e6f.mjs',
  'app.3f2a91bc.js.map',
  'fonts/inter.3f2a91bc0d1e2f3a4b5c6d7e8f901234.woff2',
  'assets/index-DiwrgT4a.js',
  'assets/logo-B7xQ2_kP.svg',
  'main-7VXQZK3M.js',
])('%s is named by its content', (key) => expect(hasHashedName(key)).toBe(true));

it.each([
  'app.js',
  '3f2a91bc.js',
  'report-20240131.pdf',
  'invoice.12345678.pdf',
  'deadbeefdeadbeef/app.js',
  'app.3f2a91b.js',
  'face-deadbeef.png',
  'user-settings.css',
  'user-Settings.js',
  'Notes-Version2.js',
  'photo-IMG2024a.jpg',
  'photo-IMG20240.jpg',
  'MY-DOCUMENT.pdf',
  'jquery-3.7.1.min.js',
  'app.3f2a91bc',
  'app.3f2a91bc/',
  '',
])('%s is not', (key) => expect(hasHashedName(key)).toBe(false));
