import type { errors as English } from '../en/errors.ts';

export const errors: typeof English = {
  request: '请求',
  readMore: '说明',
  ownFault: '这是控制台的错误。请重新加载页面；已保存的内容不会丢失。',
  notAllowed: '浏览器未获允许。请重试，并在浏览器询问时选择允许。',
  browserFailed: (reason) => `浏览器拒绝：${reason}`,
  codes: {
    NetworkFailure: { what: '服务器没有响应。', next: '请检查网络。控制台会自动重试。' },
    AccessDenied: { what: '没有执行此操作的权限。', next: '请向账户的所有者或管理员申请权限。' },
    Unauthenticated: { what: '会话已结束。', next: '请重新登录。' },
    NoSuchBucket: { what: '没有这个存储桶。', next: '它可能已被删除，或属于其他账户。' },
    NoSuchKey: { what: '没有这个对象。', next: '它可能已被移动或删除。' },
    PreconditionFailed: { what: '其他人已修改了此内容。', next: '请比较两个版本后再保存。' },
    SlowDown: { what: '服务器繁忙。', next: '请稍候再试。' },
    TooManyRequests: { what: '请求过多。', next: '请一分钟后再试。' },
    RecentProofRequired: { what: '请再次验证身份。', next: '重新输入密码、通行密钥或访问密钥。' },
  },
};
