import type { settings as English } from '../en/settings.ts';

export const settings: typeof English = {
  roles: { owner: '所有者', admin: '管理员', member: '成员', billing: '账务', reader: '只读' },
};
