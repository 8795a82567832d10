// Lucide's icons, each imported alone. One meaning each: docs/design.md, "Icons".
import type { IconNode } from 'lucide';
import { h } from 'preact';

export type IconProps = {
  readonly of: IconNode;
  readonly small?: boolean;
  /** What it says where no text stands beside it; absent: it is decoration. */
  readonly label?: string;
};

export function Icon({ of: node, small = false, label }: IconProps) {
  const spoken =
    label === undefined
      ? ({ 'aria-hidden': 'true' } as const)
      : ({ role: 'img', 'aria-label': label } as const);
  return (
    <svg class={small ? 'icon small' : 'icon'} viewBox="0 0 24 24" {...spoken}>
      {partsOf(node)}
    </svg>
  );
}

/** The shapes; an icon of paths alone becomes one, since a list has an icon in each row. */
function partsOf(node: IconNode) {
  const isOfPaths = node.every(([tag, { d }]) => tag === 'path' && `${d}`.startsWith('M'));
  if (isOfPaths) return <path d={node.map(([, { d }]) => d).join('')} />;
  return node.map(([tag, attributes]) => h(tag, attributes as Record<string, string>));
}
