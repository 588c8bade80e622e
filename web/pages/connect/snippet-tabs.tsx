import { useRef, useState } from "preact/hooks";
import { getOwnProperty } from "../../../formats/own.ts";
import { CopyButton } from "../../parts/texts/copy.tsx";
import type { SetupSnippet } from "./snippets.ts";

/** Tabs of the agents, each with a snippet. */
export function SetupSnippetTabs({ all }: { all: readonly SetupSnippet[] }) {
  const [chosen, choose] = useState(all[0]?.id);
  const list = useRef<HTMLDivElement>(null);
  const onKey = (event: KeyboardEvent) => {
    const step = getOwnProperty({ ArrowRight: 1, ArrowLeft: -1 }, event.key);
    if (!step) return;
    const at = all.findIndex(({ id }) => id === chosen);
    choose(all[(at + step + all.length) % all.length]?.id);
    const tabs = list.current?.querySelectorAll<HTMLElement>("[role=tab]");
    tabs?.[(at + step + all.length) % all.length]?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label="Agent" ref={list} onKeyDown={onKey}>
        {all.map(({ id, name }) => (
          <button
            key={id}
            role="tab"
            type="button"
            id={`t-${id}`}
            aria-controls={`s-${id}`}
            aria-selected={id === chosen}
            tabIndex={id === chosen ? 0 : -1}
            onClick={() => choose(id)}
          >
            {name}
          </button>
        ))}
      </div>
      {all.map(({ id, name, text, hint }) => (
        <div
          key={id}
          class="panel-tab"
          role="tabpanel"
          id={`s-${id}`}
          aria-labelledby={`t-${id}`}
          hidden={id !== chosen}
        >
          <div class="snip">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, and the keys have to reach it */}
            <pre class="code" tabIndex={0} role="region" aria-label={`Snippet for ${name}`}>
              {text}
            </pre>
            <CopyButton text={text} label={`Copy the snippet for ${name}`}>
              Copy
            </CopyButton>
          </div>
          <p class="hint">{hint}</p>
        </div>
      ))}
    </>
  );
}
