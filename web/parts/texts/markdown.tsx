import { useLayoutEffect, useRef, useState } from "preact/hooks";

type Render = (text: string, links: boolean, issues: string) => DocumentFragment;

let render: Render | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads the Markdown library. A page with Markdown calls this function while the text loads, so that the layout does
 * not move afterwards.
 */
export function loadMarkdown(): Promise<void> {
  loading ??= import("./markdown-render.ts").then(
    (module) => {
      render = module.renderMarkdown;
    },
    () => {
      loading = undefined;
    },
  );
  return loading;
}

interface MarkdownProps {
  text: string;
  /** True to make links active. Only text that users wrote may have active links. */
  links?: boolean;
  /** Keys of teams, joined with `|`. Issue identifiers that begin with one of the keys become links. */
  issues?: string;
}

/**
 * Markdown text. The library and the sanitizer load when first needed. Until then the text is shown unformatted, as
 * is a text longer than LONGEST.
 */
export function Markdown({ text, links = false, issues = "" }: MarkdownProps) {
  const box = useRef<HTMLDivElement>(null);
  const [plain, setPlain] = useState(true);
  useLayoutEffect(() => {
    let current = true;
    if (text.length > LONGEST) return;
    const show = () => {
      if (!current || !box.current || !render) return;
      box.current.replaceChildren(render(text, links, issues));
      setPlain(false);
    };
    if (render) show();
    else void loadMarkdown().then(show);
    return () => {
      current = false;
    };
  }, [text, links, issues]);
  return (
    <>
      {plain && <div class="plain-text">{text}</div>}
      <div ref={box} class="prose say" hidden={plain} dir="auto" />
    </>
  );
}

/** Maximum length of a formatted text. Formatting a longer text would block the page. */
const LONGEST = 60_000;
