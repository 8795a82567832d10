// 文件夹视图所需的文本，键与英文相同。
import { browse } from './browse.ts';
import { errors } from './errors.ts';
import { shell } from './shell.ts';
import { units } from './units.ts';
import { upload } from './upload.ts';

export const texts = { browse, errors, shell, units, upload };
