// Takes a picture of a page of the console: `node test/console/kit/shot.ts /buckets out.png
// [--url http://127.0.0.1:9000] [--key ID:SECRET] [--size 1280x720] [--dark] [--zh] [--press "g b"]
// [--click "text=Buckets"] [--wait 500]`. Prints what the page complained of.
import { parseArgs } from 'node:util';
import { launchBrowser, newContext, signIn, watchErrors } from './browser.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:9000' },
    key: { type: 'string' },
    size: { type: 'string', default: '1280x720' },
    dark: { type: 'boolean', default: false },
    zh: { type: 'boolean', default: false },
    press: { type: 'string', multiple: true, default: [] },
    click: { type: 'string', multiple: true, default: [] },
    wait: { type: 'string', default: '300' },
  },
});
const [path = '/', file = 'shot.png'] = positionals;
const [width = 1280, height = 720] = values.size.split('x').map(Number);
const browser = await launchBrowser();
try {
  const look = { width, height, isDark: values.dark, isTouch: width < 720 };
  const context = await newContext(browser, { ...look, language: values.zh ? 'zh' : 'en' });
  const [accessKey = '', secretKey = ''] = values.key?.split(':') ?? [];
  if (accessKey !== '') await signIn(context, values.url, { accessKey, secretKey });
  const page = await context.newPage();
  const errors = watchErrors(page);
  await page.goto(`${values.url}/-/console${path}`, { waitUntil: 'networkidle' });
  for (const selector of values.click) await page.click(selector);
  for (const keys of values.press)
    for (const key of keys.split(' ')) await page.keyboard.press(key);
  await page.waitForTimeout(Number(values.wait));
  await page.screenshot({ path: file });
  for (const error of errors) process.stdout.write(`${error}\n`);
} finally {
  await browser.close();
}
