import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { getOwnProperty } from "../../formats/own.ts";
import { requestGraphQL } from "../data/graphql.ts";
import { Icon } from "../parts/icon.tsx";
import { waitForPointerRelease } from "../parts/lists/moving.ts";
import { useModal } from "../parts/modal.ts";
import { formatPlural } from "../parts/texts/format.ts";
import { findCommands, type PaletteCache, type PaletteResult, searchPalette } from "./palette-search.ts";
import { isPaletteOpen } from "./palette-state.ts";
import { navigate } from "./router.ts";

const PAUSE_MS = 120;

/** Command palette that finds and opens pages, sessions, issues and tools. */
export function CommandPalette() {
  const { dialog, end } = useModal(() => (isPaletteOpen.value = false));
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const found = useFound(text);
  useEffect(() => setAt(0), [text]);
  const open = (one: PaletteResult | undefined, aside = false) => {
    if (!one) return;
    end();
    if (aside) window.open(one.href, "_blank", "noopener");
    else navigate(one.href);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = getOwnProperty({ ArrowDown: 1, ArrowUp: -1 }, event.key);
    if (event.key === "Enter") open(found[at], event.metaKey || event.ctrlKey);
    else if (step) {
      event.preventDefault();
      setAt((at + step + found.length) % Math.max(1, found.length));
    }
  };
  return (
    <dialog class="pal" aria-label="Search and commands" {...dialog}>
      <div class="box">
        <Field text={text} setText={setText} active={found[at] && `pal-${at}`} onKey={onKey} />
        <Results all={found} at={at} open={open} />
        <KeyLine results={found.length} />
      </div>
    </dialog>
  );
}

/** Searches after a pause in typing. Results come before matching commands. */
function useFound(text: string): PaletteResult[] {
  const [found, setFound] = useState<PaletteResult[]>([]);
  const known = useRef<PaletteCache>({ tools: {}, sessions: {} });
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const read = searchPalette(
        text,
        (document, variables) => requestGraphQL(document, variables, abort.signal),
        known.current,
      );
      // Waits until no pointer is pressed, because new results would move the pressed entry.
      const show = (what: PaletteResult[]) =>
        waitForPointerRelease().then(() => abort.signal.aborted || setFound(what));
      read.then(show).catch(() => {});
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  return useMemo(() => [...found, ...findCommands(text)], [found, text]);
}

interface FieldProps {
  text: string;
  setText: (text: string) => void;
  /** Id of the result that Enter opens. */
  active: string | undefined;
  onKey: (event: KeyboardEvent) => void;
}

const Field = ({ text, setText, active, onKey }: FieldProps) => (
  <div class="q">
    <Icon name="search" />
    <input
      role="combobox"
      aria-expanded="true"
      aria-controls="pal-list"
      aria-activedescendant={active}
      aria-label="Search sessions, issues, tools, pages"
      placeholder="Search sessions, issues, tools, pages"
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
      onKeyDown={onKey}
    />
    <kbd>Esc</kbd>
  </div>
);

const KeyLine = ({ results }: { results: number }) => (
  <div class="keys">
    <span>
      <kbd>↑</kbd>
      <kbd>↓</kbd> choose
    </span>
    <span>
      <kbd>↵</kbd> open
    </span>
    <span class="end" role="status">
      {formatPlural(results, "result")}
    </span>
  </div>
);

function Results({
  all,
  at,
  open,
}: {
  all: PaletteResult[];
  at: number;
  open: (one: PaletteResult, aside: boolean) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector(`#pal-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);
  const groups = [...new Set(all.map(({ group }) => group))];
  return (
    <div role="listbox" id="pal-list" aria-label="Results" tabIndex={-1} ref={list}>
      {groups.map((group) => (
        <div key={group} role="group" aria-label={group}>
          <div class="grp" aria-hidden="true">
            {group}
          </div>
          {all.map((one, index) =>
            one.group === group ? (
              <div
                key={one.href}
                role="option"
                id={`pal-${index}`}
                aria-selected={index === at}
                onClick={(event) => open(one, event.metaKey || event.ctrlKey)}
              >
                <Icon name={one.icon} />
                <span class="cut">{one.title}</span>
                <span class="end">{one.detail}</span>
              </div>
            ) : null,
          )}
        </div>
      ))}
    </div>
  );
}
