// What the frame of every link page says. English has the shape; a text that Chinese
// lacks does not compile.
import type { PageLanguage } from '../../semantics/accept-html.ts';

const ENGLISH = {
  nobodyReads: 'Nobody here reads your files.',
  sharedBy: 'Shared by',
  otherLanguage: '中文',
  reference: 'Reference',
};

type FrameTexts = Readonly<typeof ENGLISH>;

const CHINESE: FrameTexts = {
  nobodyReads: '这里没有人会查看你的文件。',
  sharedBy: '分享者',
  otherLanguage: 'English',
  reference: '参考编号',
};

/** The frame's texts by language. */
export const FRAME_TEXTS: Readonly<Record<PageLanguage, FrameTexts>> = {
  en: ENGLISH,
  zh: CHINESE,
};
