import { useMemo } from "preact/hooks";
import { Icon } from "../../../parts/icon.tsx";
import { formatDuration, formatTimeOffset } from "../../../parts/texts/format.ts";
import type { EventTree, SessionEvent } from "../events.ts";
import { formatEventName } from "../words.ts";

const MOST_TURNS = 60;
const MOST_TOOLS = 8;

/** Outline of the turns, and the tools with the longest total durations. */
export function TranscriptOutline({ tree, show }: { tree: EventTree; show: (turn: SessionEvent) => void }) {
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
                <bdi class="cut">{formatEventName(turn)}</bdi>
                <time>{formatTimeOffset(turn.at - tree.begin)}</time>
              </button>
            </li>
          ))}
        </ul>
      </div>
      {slowest.length > 0 && (
        <div>
          <h2>Time by tool</h2>
          <ul class="bars">
            {slowest.map(([name, ms]) => (
              <li key={name}>
                <bdi class="cut" title={name}>
                  {name}
                </bdi>
                <span class="b" aria-hidden="true">
                  <i style={{ "--v": (ms / most) * 100 }} />
                </span>
                <span>{formatDuration(ms)}</span>
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
