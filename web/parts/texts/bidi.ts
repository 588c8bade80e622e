import { options } from "preact";

/** Characters that reorder the surrounding text: U+202A–202E and U+2066–2069. */
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Replaces bidirectional control characters with visible marks such as `[U+202E]`, so that a command appears in the
 * order in which the command runs.
 */
export const showBidiControls = (text: string): string =>
  text.replace(CONTROLS, (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase()}]`);

/** Attributes that contain readable text. */
const READ = ["title", "aria-label", "placeholder"] as const;

/**
 * Makes the control characters visible in all text that Preact renders. Values of input fields stay unchanged, because
 * users edit the values.
 */
export function installBidiControlMarks(): void {
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

const marked = (value: unknown): unknown => (typeof value === "string" ? showBidiControls(value) : value);

/** Makes the control characters visible in elements that Preact does not render. */
export function showBidiControlsInFragment(within: DocumentFragment): void {
  const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode())
    node.nodeValue = showBidiControls(node.nodeValue ?? "");
  for (const element of within.querySelectorAll<HTMLElement>("[title]"))
    element.title = showBidiControls(element.title);
}
