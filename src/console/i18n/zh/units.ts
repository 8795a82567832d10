import type { units as English } from '../en/units.ts';

export const units: typeof English = {
  today: '今天',
  yesterday: '昨天',
  everyone: '所有人',
  everyonePart: '所有人（部分）',
  objects: (_count, text) => `${text} 个对象`,
  aMonth: (money) => `每月 ${money}`,
  optional: '可选',
};
