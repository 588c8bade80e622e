import { useLayoutEffect, useRef, useState } from "preact/hooks";

type Render = (text: string, links: boolean, issues: string) => DocumentFragment;

let render: Render | undefined;
let loading: Promise<void> | undefined;

/** Loads the library. A page whose text is Markdown calls it while it reads the text, so that nothing moves afterwards. */
export function loadMarkdown(): Promise<void> {
  loading ??= import("./markdown-render.ts").then(
    (module) => {
      render = module.render;
    },
    () => {
      loading = undefined;
    },
  );
  return loading;
}

interface MarkdownProps {
  text: string;
  /** Its links lead somewhere: people wrote it. */
  links?: boolean;
  /** Keys of teams, with `|` between them: their identifiers become links. */
  issues?: string;
}

/**
 * Text with marks, as a page shows it. The library and its sanitizer are loaded when they are first needed; until then,
 * and for what is too long, the text stands as it is.
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

/** Longer texts would take the page's time; they are read as they are. */
const LONGEST = 60_000;
