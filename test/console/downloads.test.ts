// Downloads in a real browser against a server on Node: one object, a folder, a selection, and a
// whole tree into a folder of the computer (here the browser's own private file system).
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { startNode, type WireServer } from '../wire/kit/server.ts';
import { launchBrowser, newContext, serveBuild, signIn } from './kit/browser.ts';
