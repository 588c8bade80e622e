import { options } from "preact";

/** Characters that reorder the text around them: U+202A–202E and U+2066–2069. */
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text whose bidirectional controls are visible, such as `[U+202E]`: a command reads in the order in which it runs. */
export const withBidiMarks = (text: string): string =>
  text.replace(CONTROLS, (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase()}]`);

/** Attributes that people read. */
const READ = ["title", "aria-label", "placeholder"] as const;

/** Marks the controls in every text that Preact renders. Values of fields stay as they are: they are edited. */
export function startBidiMarks(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    const { type } = vnode;
    if (type === null) vnode.props = marked(vnode.props) as typeof vnode.props;
    else if (typeof type === "string") {
      const props = vnode.props as unknown as Record<string, unknown>;
      for (const name of READ) if (props[name]) props[name] = marked(props[name]);
    }
    before?.(vnode);
  };
}

const marked = (value: unknown): unknown => (typeof value === "string" ? withBidiMarks(value) : value);

/** Marks the controls in the texts of elements that Preact does not render. */
export function markBidi(within: DocumentFragment): void {
  const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) node.nodeValue = withBidiMarks(node.nodeValue ?? "");
  for (const element of within.querySelectorAll<HTMLElement>("[title]")) element.title = withBidiMarks(element.title);
}
