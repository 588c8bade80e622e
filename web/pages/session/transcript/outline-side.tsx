import { useMemo } from "preact/hooks";
import { Icon } from "../../../parts/icon.tsx";
import { duration, offset } from "../../../parts/texts/format.ts";
import type { EventTree, SessionEvent } from "../events.ts";
import { nameOf } from "../words.ts";

const MOST_TURNS = 60;
const MOST_TOOLS = 8;

/** The turns to go to, and which tools took the time. */
export function Outline({ tree, show }: { tree: EventTree; show: (turn: SessionEvent) => void }) {
  const slowest = useMemo(() => timesOf(tree), [tree]);
  const most = slowest[0]?.[1] ?? 1;
  return (
    <aside class="side" aria-label="Outline">
      <div>
        <h2>Outline</h2>
        <ul class="toc">
          {tree.roots.slice(0, MOST_TURNS).map((turn) => (
            <li key={turn.id}>
              <button class="link" type="button" onClick={() => show(turn)}>
                {turn.children.some(({ failed }) => failed) && <Icon name="fail" class="i-14 c-fail" />}
                <bdi class="cut">{nameOf(turn)}</bdi>
                <time>{offset(turn.at - tree.begin)}</time>
              </button>
            </li>
          ))}
        </ul>
      </div>
      {slowest.length > 0 && (
        <div>
          <h2>Where the time went</h2>
          <ul class="bars">
            {slowest.map(([name, ms]) => (
              <li key={name}>
                <bdi class="cut" title={name}>
                  {name}
                </bdi>
                <span class="b" aria-hidden="true">
                  <i style={{ "--v": (ms / most) * 100 }} />
                </span>
                <span>{duration(ms)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </aside>
  );
}

function timesOf({ all }: EventTree): [name: string, ms: number][] {
  const times = new Map<string, number>();
  for (const { kind, name, latency } of all) {
    if (kind === "tool" || kind === "llm") times.set(name, (times.get(name) ?? 0) + (latency ?? 0));
  }
  return [...times].sort(([, a], [, b]) => b - a).slice(0, MOST_TOOLS);
}
