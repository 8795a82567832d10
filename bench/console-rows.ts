// What does a folder with a million rows cost the browser? The real browser in front of a server on
// Node: milliseconds until the first rows, until rows stand after a jump, and for each step of the
// wheel the processor's time of the page, by what it was spent on, with the longest task. What else
// runs on the machine adds to all but the processor's time: the longest task is told in both.
//   node bench/console-rows.ts [rounds]
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { openSqlite } from '../src/adapters/node/index/node-sqlite.ts';
import { createClient } from '../src/client/index.ts';
import { launchBrowser, newContext, signIn } from '../test/console/kit/browser.ts';
import { ROOT_KEY, startNodeProcess } from '../test/node/kit/node-process.ts';
import { median, printTable } from './lib/table.ts';

const ROWS = 1_000_000;
const BUCKET = 'bench-rows';
/** Steps of the wheel in a round, and how far each goes, pixels. */
const STEPS = 120;
const STEP_PX = 240;
const JUMPS = 9;
const rounds = Number(process.argv[2] ?? 3);
const ACCESS_KEY = { id: ROOT_KEY.accessKeyId, secret: ROOT_KEY.secretAccessKey };

/** Puts a million rows into the index: objects of three kinds, of five years. */
function fill(dataDir: string): void {
  const sql = openSqlite(join(dataDir, 'index.sqlite'), { readOnly: false });
  sql.all(
    `WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < ${ROWS})
     INSERT INTO objects (bucket, key, version_id, is_null, size_bytes, etag, last_modified_ms,
       storage_class, detail)
     SELECT (SELECT max(bucket) FROM objects), printf('flat/%09d-%s', i,
         CASE i % 3 WHEN 0 THEN 'report of the harbour.pdf' WHEN 1 THEN 'list.csv'
                    ELSE 'n.txt' END),
       printf('v-%09d', i), 0, i * 7919 % 90000000, '900150983cd24fb0d6963f7d28e17f72',
       1606000000000 + i * 155000, 'STANDARD', '{}' FROM i`,
  );
  sql.close();
}

type Spent = { task: number; script: number; style: number; layout: number };

async function spent(cdp: CDPSession): Promise<Spent> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const of = (name: string) => (metrics.find((one) => one.name === name)?.value ?? 0) * 1000;
  const [task, script] = [of('TaskDuration'), of('ScriptDuration')];
  return { task, script, style: of('RecalcStyleDuration'), layout: of('LayoutDuration') };
}

/** Runs in the page: scrolls by steps, two frames apart; the longest task, milliseconds. */
const SCROLL = `(async () => {
  const list = document.querySelector('[role=grid]');
  let longest = 0;
  const observer = new PerformanceObserver((entries) => {
    for (const { duration } of entries.getEntries()) longest = Math.max(longest, duration);
  });
  observer.observe({ type: 'longtask' });
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  for (let step = 0; step < ${STEPS}; step++) {
    list.scrollTop += ${STEP_PX};
    await frame();
    await frame();
  }
  observer.disconnect();
  return longest;
})()`;

/** Milliseconds a step, and the longest task: by the clock, and of the processor. */
async function scroll(page: Page, cdp: CDPSession) {
  const longestBusy = await traceLongest(page);
  const before = await spent(cdp);
  const longest: number = await page.evaluate(SCROLL);
  const after = await spent(cdp);
  const step = (name: keyof Spent) => (after[name] - before[name]) / STEPS;
  const [script, style, layout] = [step('script'), step('style'), step('layout')];
  return { longest, longestBusy, task: step('task'), script, style, layout };
}

type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Time of the processor, microseconds. */
  readonly tdur?: number;
};

/** Scrolls once under a trace: the processor's time of the longest task of the page's own thread. */
async function traceLongest(page: Page): Promise<number> {
  const cdp = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown[]) events.push(event as TraceEvent);
  });
  const traceConfig = { includedCategories: ['toplevel', 'devtools.timeline'] };
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  await page.evaluate(SCROLL);
  const isOver = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve));
  await cdp.send('Tracing.end');
  await isOver;
  await cdp.detach();
  // Styles are computed on the thread of the page that scrolls.
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const styled = new Set(events.filter(({ name }) => name === 'UpdateLayoutTree').map(threadOf));
  const tasks = events.filter((event) => styled.has(threadOf(event)));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
}

/** Runs in the page: jumps to a part of the folder, and waits until all rows in view stand. */
const jumpTo = (part: number) => `(async () => {
  const list = document.querySelector('[role=grid]');
  const startedAt = performance.now();
  list.scrollTop = list.scrollHeight * ${part};
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const isThere = () => {
    const rows = [...document.querySelectorAll('.row[data-index] .name')];
    return rows.length > 5 && rows.every((row) => row.querySelector('.skeleton') === null);
  };
  do await frame();
  while (!isThere());
  return performance.now() - startedAt;
})()`;

/** Runs in the page: when the listing was asked for and answered, and how late it is now. */
const FIRST_ROWS = `(() => {
  const requests = performance.getEntriesByType('resource');
  const listed = requests.find(({ name }) => /\\/objects\\?/.test(name));
  return [listed.startTime, listed.responseEnd, performance.now()];
})()`;
/** The grid when its folder is counted: with the object that made it, and the head. */
const COUNTED = `[role=grid][aria-rowcount="${ROWS + 2}"]`;

const dataDir = await mkdtemp(join(tmpdir(), 'quayside-bench-'));
const server = await startNodeProcess(dataDir, { QUAYSIDE_PORT: process.env.QUAYSIDE_PORT ?? '0' });
const browser = await launchBrowser();
try {
  const client = createClient({ endpoint: server.url, accessKey: ACCESS_KEY });
  await client.buckets.create({ body: { name: BUCKET } });
  await client.upload(BUCKET, 'flat/zzz', 'x');
  fill(dataDir);

  const context = await newContext(browser);
  const keys = { accessKey: ACCESS_KEY.id, secretKey: ACCESS_KEY.secret };
  await signIn(context, server.url, keys);
  const table: string[][] = [];
  const ms = (value: number) => value.toFixed(2);
  for (let round = 0; round < rounds; round++) {
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(`${server.url}/-/console/b/${BUCKET}/flat/`);
    await page.locator('[data-index="5"] .name .text').waitFor();
    const firstRows: number[] = await page.evaluate(FIRST_ROWS);
    // Until the folder is counted, its scroll bar has no million rows.
    await page.locator(COUNTED).waitFor({ timeout: 60_000 });
    const scrolled = await scroll(page, cdp);
    const jumps: number[] = [];
    for (let at = 0; at < JUMPS; at++) {
      jumps.push(await page.evaluate(jumpTo(((at * 7 + 3) % 10) / 10 + 0.03)));
    }
    const rows = await page.locator('.row[data-index]').count();
    table.push([
      `${round + 1}`,
      firstRows.map(ms).join(' / '),
      ms(scrolled.task),
      ms(scrolled.script),
      ms(scrolled.style),
      ms(scrolled.layout),
      `${ms(scrolled.longestBusy)} / ${ms(scrolled.longest)}`,
      `${ms(median(jumps))} / ${ms(Math.max(...jumps))}`,
      `${rows}`,
      (loadavg()[0] ?? 0).toFixed(0),
    ]);
    await page.close();
  }
  const head = [
    'round',
    'listing asked / answered / rows',
    'task a step',
    'script',
    'style',
    'layout',
  ];
  printTable([
    [...head, 'longest task, processor / clock', 'jump, median / max', 'rows drawn', 'load'],
    ...table,
  ]);
} finally {
  await browser.close();
  await server.end('SIGTERM');
  await rm(dataDir, { recursive: true });
}
