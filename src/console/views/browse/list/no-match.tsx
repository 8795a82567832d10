// A filter without a match: what was looked for, and the ways on.
import { ListFilter } from 'lucide';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { placeName } from '../shown-name.ts';
import type { FolderModel } from '../use-folder.ts';
import { closeFilter, openFilter } from '../use-search.ts';

export default function NoMatch({ folder }: { readonly folder: FolderModel }) {
  const { search, bucket, prefix } = folder;
  const texts = t().browse;
  const text = search?.text ?? '';
  const isWide = search?.isWholeBucket === true;
  return (
    <div class="list no-match">
      <div class="empty" role="status">
        <Icon of={ListFilter} />
        <b>
          {isWide
            ? texts.noMatchInBucket(text, bucket)
            : texts.noMatch(text, placeName(bucket, prefix))}
        </b>
        <span class="ways">
          {!isWide && (
            <Button
              kind="secondary"
              label={texts.searchBucket(bucket)}
              onClick={() => openFilter(true)}
            />
          )}
          <Button label={texts.clearFilter} onClick={closeFilter} />
        </span>
      </div>
    </div>
  );
}
