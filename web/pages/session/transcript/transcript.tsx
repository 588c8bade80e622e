import { useEffect, useRef } from "preact/hooks";
import { plural } from "../../../parts/texts/format.ts";
import { useKept } from "../../../shell/kept.ts";
import { useKeys } from "../../../shell/keys.ts";
import type { EventTree, SessionEvent } from "../events.ts";
import type { Recorded } from "../readings.ts";
import { Outline } from "./outline-side.tsx";
import { Turn } from "./turn.tsx";

/** Turns that are made at once; more as somebody reads on, and all before they are printed. */
const STEP = 12;

/** The session as a story: what was asked, what was called between, what was answered. */
export function Transcript({ recorded, tree }: { recorded: Recorded; tree: EventTree }) {
  const flow = useRef<HTMLDivElement>(null);
  const { shown, showTo, end } = useShown(recorded.id, tree.roots.length);
  useKeys({ n: () => flow.current && toNextFailure(flow.current) });
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
            <Turn key={turn.id} recorded={recorded} turn={turn} number={at + 1} begin={tree.begin} />
          ))}
          {shown < tree.roots.length && (
            <div ref={end} class="mid">
              {plural(tree.roots.length - shown, "turn")} more
            </div>
          )}
        </div>
      </div>
      <Outline tree={tree} show={show} />
    </div>
  );
}

/** Counts the turns that are made: more of them as `end` comes near the window, and all before they are printed. */
function useShown(sessionId: string, turns: number) {
  const [shown, setShown] = useKept(`turns of ${sessionId}`, STEP);
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

/** Moves the focus to the next failed call, and after the last one to the first. */
function toNextFailure(flow: HTMLElement): void {
  const all = [...flow.querySelectorAll<HTMLElement>(".tcall.bad")];
  const at = all.findIndex((one) => one.contains(document.activeElement));
  const next = all[(at + 1) % Math.max(1, all.length)];
  for (let box = next?.parentElement?.closest("details"); box; box = box.parentElement?.closest("details"))
    box.open = true;
  next?.querySelector("summary")?.focus();
  next?.scrollIntoView({ block: "center" });
}
