// A document as far as the upload element uses one, so that its doings can be tested without a
// browser: elements with children, attributes and texts, and selectors of one tag or one part.

export class TinyElement {
  readonly attributes = new Map<string, string>();
  children: TinyElement[] = [];
  parent: TinyElement | null = null;
  shadowRoot: TinyElement | null = null;
  textContent = '';
  value: string | number = '';
  max = 0;
  files: readonly File[] = [];
  onclick: (() => void) | null = null;
  onchange: (() => void) | null = null;
  ondragover: ((event: object) => void) | null = null;
  ondrop: ((event: object) => Promise<void>) | null = null;
  readonly tag: string;

  constructor(tag = 'host') {
    this.tag = tag;
  }

  attachShadow(): TinyElement {
    this.shadowRoot = new TinyElement('root');
    return this.shadowRoot;
  }

  /** Knows tags with attributes, one beside the other, and no nesting. */
  set innerHTML(html: string) {
    this.children = [...html.matchAll(/<(\w+)([^>]*)>/g)].map(([, tag = '', rest = '']) => {
      const child = new TinyElement(tag);
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)(?:="(\w*)")?/g)) {
        child.setAttribute(name, value);
      }
      return child;
    });
  }

  querySelector(selector: string): TinyElement | null {
    const part = /^\[part=(\w+)\]$/.exec(selector)?.[1];
    const isMeant = ({ tag, attributes }: TinyElement) =>
      part === undefined ? tag === selector : attributes.get('part') === part;
    return this.all().find(isMeant) ?? null;
  }

  /** All below it, depth first. */
  all(): TinyElement[] {
    return this.children.flatMap((child) => [child, ...child.all()]);
  }

  append(...children: TinyElement[]): void {
    for (const child of children) child.parent = this;
    this.children.push(...children);
  }

  replaceChildren(...children: TinyElement[]): void {
    this.children = [];
    this.append(...children);
  }

  remove(): void {
    const siblings = this.parent?.children ?? [];
    siblings.splice(siblings.indexOf(this), 1);
  }

  setAttribute = (name: string, value: string) => void this.attributes.set(name, value);
  hasAttribute = (name: string) => this.attributes.has(name);
  toggleAttribute(name: string, isSet: boolean): void {
    if (isSet) this.attributes.set(name, '');
    else this.attributes.delete(name);
  }
}
