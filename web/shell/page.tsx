import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isRealtimeConnected } from "../data/realtime.ts";
import { Icon } from "../parts/icon.tsx";
import { showBidiControls } from "../parts/texts/bidi.ts";
import { openHelp } from "./help-state.ts";
import { useScrollRestoration } from "./kept.ts";

interface PageProps {
  title: string;
  /** True if an area inside the page scrolls instead of the whole page. */
  fixed?: boolean;
  /** Keyboard shortcuts of the page, which the line at the bottom shows. */
  keys?: [keys: string[], does: string][];
  children: ComponentChildren;
}

/** Frame of a page for a signed-in user: document title, content, and a line with keys. */
export function Page({ title, fixed = false, keys, children }: PageProps) {
  const main = useRef<HTMLElement>(null);
  useScrollRestoration(main);
  useEffect(() => {
    document.title = title ? `${showBidiControls(title)} · Trackway` : "Trackway";
  }, [title]);
  return (
    <main class={fixed ? "main fixed" : "main"} id="main" tabIndex={-1} ref={main}>
      {isRealtimeConnected.value === false && (
        <div class="strap" role="status">
          <Icon name="off" class="i-14" />
          Not connected. New events appear when the server responds again.
        </div>
      )}
      {children}
      {keys && <KeyLine keys={keys} />}
    </main>
  );
}

const KeyLine = ({ keys }: { keys: [string[], string][] }) => (
  <footer class="keys" aria-label="Keyboard">
    {keys.map(([names, does]) => (
      <span key={does}>
        {names.map((name) => (
          <kbd key={name}>{name}</kbd>
        ))}{" "}
        {does}
      </span>
    ))}
    <button class="end plain" type="button" onClick={openHelp}>
      <kbd>?</kbd> all keys
    </button>
  </footer>
);
