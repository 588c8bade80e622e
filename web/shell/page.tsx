import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { live } from "../data/realtime.ts";
import { Icon } from "../parts/icon.tsx";
import { withBidiMarks } from "../parts/texts/bidi.ts";
import { openHelp } from "./help-state.ts";
import { useKeptScroll } from "./kept.ts";

interface PageProps {
  title: string;
  /** The page does not scroll itself; a part of it does. */
  fixed?: boolean;
  /** The keys of this page, for the line at the bottom. */
  keys?: [keys: string[], does: string][];
  children: ComponentChildren;
}

/** A page of somebody who is signed in: its title, what stands on it, and what keys do. */
export function Page({ title, fixed = false, keys, children }: PageProps) {
  const main = useRef<HTMLElement>(null);
  useKeptScroll(main);
  useEffect(() => {
    document.title = title ? `${withBidiMarks(title)} · Trackway` : "Trackway";
  }, [title]);
  return (
    <main class={fixed ? "main fixed" : "main"} id="main" tabIndex={-1} ref={main}>
      {live.value === false && (
        <div class="strap" role="status">
          <Icon name="off" class="i-14" />
          Not connected. New events appear when the server answers again.
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
