// All texts of the console in both languages, for tests that name what they press and look for what
// was not translated.
import { texts as accountEnglish } from '../../../src/console/i18n/en/account-texts.ts';
import { texts as objectsEnglish } from '../../../src/console/i18n/en/object-texts.ts';
import { texts as firstEnglish } from '../../../src/console/i18n/en/texts.ts';
import { texts as accountChinese } from '../../../src/console/i18n/zh/account-texts.ts';
import { texts as objectsChinese } from '../../../src/console/i18n/zh/object-texts.ts';
import { texts as firstChinese } from '../../../src/console/i18n/zh/texts.ts';

export const english = { ...firstEnglish, ...objectsEnglish, ...accountEnglish };
export type Texts = typeof english;
export const chinese: Texts = {
  ...firstChinese,
  ...objectsChinese,
  ...accountChinese,
};
