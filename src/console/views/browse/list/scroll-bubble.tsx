// What stands beside the scroll bar while it is dragged: the beginning of the name on
// top, or its date.
import type { Scroller } from './use-scroller.ts';
import { heightPx } from './window.ts';

type ScrollBubbleProps = { readonly scroller: Scroller; readonly text: string };

export function ScrollBubble({ scroller, text }: ScrollBubbleProps) {
  const { extent, position } = scroller;
  const most = Math.max(1, heightPx(extent) - extent.viewPx);
  const part = Math.min(1, position.top / most);
  return (
    <div class="scroll-bubble" aria-hidden="true" style={{ '--part': `${part}` }}>
      <span>{text}</span>
    </div>
  );
}
