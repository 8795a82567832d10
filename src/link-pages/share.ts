// The script of share pages. All that it does is comfort: the page does its work
// without it. It sends nothing anywhere.
import { copyLinks } from './copy-link.ts';
import { filterRows } from './filter-rows.ts';
import { ownTimes } from './own-times.ts';
import { passwordOfFragment } from './password-of-fragment.ts';
import { pickFiles } from './pick-files.ts';
import { viewFiles } from './viewer.ts';

passwordOfFragment();
ownTimes();
copyLinks();
filterRows(pickFiles());
viewFiles();
