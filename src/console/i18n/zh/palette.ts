import type { palette as English } from '../en/palette.ts';

export const palette: typeof English = {
  placeholder: '位置、对象或命令的名称',
  places: '位置',
  objectsIn: (bucket) => `${bucket} 中的对象`,
  here: '可在此执行',
  nothing: (text) => `没有包含“${text}”的内容。`,
  open: '打开',
  newTab: '在新标签页中打开',
  commands: '命令',
  keys: '快捷键',
  letters: '单个字母作为命令',
  lettersHint: '使用语音输入或经常误触时，可以关闭。',
  form: '格式',
  callsHint: '这些是当前页面发出的请求。在“设置”中创建令牌并填入 $QUAYSIDE_TOKEN。',
};
