import type { jobs as English } from '../en/jobs.ts';

export const jobs: typeof English = {
  which: '显示哪些任务',
  states: { all: '全部', running: '进行中', failed: '失败' },
  undoHint: '可撤销每个存储桶最近 5 个未被改动的任务',
  none: '没有任务',
  noneHint: '对大量对象的移动、复制和删除会显示在这里，并可撤销。',
  kind: '类型',
  work: '内容',
  result: '结果',
  begun: '发起者',
  act: '操作',
  noUndo: '不可撤销',
  undone: '已撤销',
  running: (count) => `${count} 个进行中`,
  shown: (count) => `显示 ${count} 个`,
  of: (done, total) => `${done} / ${total}`,
  cancelled: (done) => `完成 ${done} 个后取消`,
  leftAsTheyWere: (count) => `${count} 个保持原样。`,
  show: '查看',
  leftTitle: '保持原样的对象',
  reasons: {
    missing: '在任务处理之前已删除或已更改',
    conflict: '新名称已被占用，或不能用作键',
    invalid: '此对象不能使用这些标头',
    locked: '受保留期或依法保留的保护',
  },
  sentences: {
    move: ({ isRunning, objects, from, to }) =>
      `${isRunning ? '正在将' : '已将'} ${objects}从 ${from} 移动到 ${to}`,
    copy: ({ isRunning, objects, from, to }) =>
      `${isRunning ? '正在将' : '已将'} ${objects}从 ${from} 复制到 ${to}`,
    rename: ({ isRunning, objects, from }) =>
      `${isRunning ? '正在重命名' : '已重命名'} ${from} 中的 ${objects}`,
    edit: ({ isRunning, objects, from }) =>
      `${isRunning ? '正在修改' : '已修改'} ${from} 中的 ${objects}`,
    delete: ({ isRunning, objects, from }) =>
      `${isRunning ? '正在从' : '已从'} ${from} 删除 ${objects}`,
    restore: ({ isRunning, objects, from }) =>
      `${isRunning ? '正在恢复' : '已恢复'} ${from} 中的 ${objects}`,
    'empty-trash': ({ isRunning, objects, from }) =>
      `${isRunning ? '正在' : '已'}从 ${from} 的回收站永久移除 ${objects}`,
    empty: ({ isRunning, objects, from }) =>
      `${isRunning ? '正在' : '已'}从 ${from} 永久移除 ${objects}及其全部版本`,
    undo: ({ isRunning, objects, from }) =>
      `${isRunning ? '正在撤销' : '已撤销'}：${from} 中的 ${objects}`,
  },
};
