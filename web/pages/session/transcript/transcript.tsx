import { useEffect, useRef } from "preact/hooks";
import { formatPlural } from "../../../parts/texts/format.ts";
import { useHistoryState } from "../../../shell/kept.ts";
import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import type { EventTree, SessionEvent } from "../events.ts";
import type { SessionData } from "../readings.ts";
import { TranscriptOutline } from "./outline-side.tsx";
import { TranscriptTurn } from "./turn.tsx";

/** Number of turns that are rendered at a time. Scrolling renders further turns, and printing renders all turns. */
const STEP = 12;

/** Transcript of a session: prompts, calls and replies. */
export function SessionTranscript({ recorded, tree }: { recorded: SessionData; tree: EventTree }) {
  const flow = useRef<HTMLDivElement>(null);
  const { shown, showTo, end } = useShown(recorded.id, tree.roots.length);
  useKeyboardShortcuts({ n: () => flow.current && toNextFailure(flow.current) });
  const show = (turn: SessionEvent) => {
    showTo(tree.roots.indexOf(turn) + 1);
    requestAnimationFrame(() => document.getElementById(`turn-${turn.id}`)?.scrollIntoView());
  };
  return (
    <div class="tx">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keys have to reach it */}
      <div class="flow" ref={flow} tabIndex={0} role="region" aria-label="Transcript">
        <div class="col">
          {tree.roots.slice(0, shown).map((turn, at) => (
            <TranscriptTurn key={turn.id} recorded={recorded} turn={turn} number={at + 1} begin={tree.begin} />
          ))}
          {shown < tree.roots.length && (
            <div ref={end} class="mid">
              Show {formatPlural(tree.roots.length - shown, "more turn")}
            </div>
          )}
        </div>
      </div>
      <TranscriptOutline tree={tree} show={show} />
    </div>
  );
}

/**
 * Returns the number of turns to render. The number grows when the element `end` comes near the viewport. Before
 * printing, all turns are rendered.
 */
function useShown(sessionId: string, turns: number) {
  const [shown, setShown] = useHistoryState(`turns of ${sessionId}`, STEP);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && setShown(shown + STEP), {
      rootMargin: "800px",
    });
    if (end.current) watcher.observe(end.current);
    return () => watcher.disconnect();
  }, [shown, turns]);
  useEffect(() => {
    const all = () => setShown(Number.POSITIVE_INFINITY);
    addEventListener("beforeprint", all);
    return () => removeEventListener("beforeprint", all);
  }, []);
  return { shown, showTo: (turn: number) => setShown(Math.max(shown, turn)), end };
}

/** Moves the focus to the next failed call. After the last failed call, starts again at the first. */
function toNextFailure(flow: HTMLElement): void {
  const all = [...flow.querySelectorAll<HTMLElement>(".tcall.bad")];
  const at = all.findIndex((one) => one.contains(document.activeElement));
  const next = all[(at + 1) % Math.max(1, all.length)];
  for (let box = next?.parentElement?.closest("details"); box; box = box.parentElement?.closest("details"))
    box.open = true;
  next?.querySelector("summary")?.focus();
  next?.scrollIntoView({ block: "center" });
}
