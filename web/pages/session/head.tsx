import { Icon } from "../../parts/icon.tsx";
import { count } from "../../parts/texts/format.ts";
import { titleOf } from "../sessions/row.tsx";
import type { EventTree } from "./events.ts";
import { Menu } from "./menu.tsx";
import { Neighbours } from "./neighbours.tsx";
import { addressOf, READINGS, type Reading, type Recorded } from "./readings.ts";
import { StateMark } from "./state.tsx";

interface HeadProps {
  recorded: Recorded;
  tree: EventTree;
  reading: Reading;
  /** Reads the session anew. */
  reload: () => void;
}

/** The session's name and state, the ways to read it, and its actions. */
export function Head({ recorded, tree, reading, reload }: HeadProps) {
  const { failures } = recorded.totals;
  return (
    <header class="head deep">
      <nav class="crumb only-wide" aria-label="Breadcrumb">
        <a href="/sessions">Sessions</a>
        <Icon name="right" class="i-14" />
      </nav>
      <a href="/sessions" class="back" aria-label="Back to sessions">
        <Icon name="right" />
      </a>
      <h1 class="cut" title={titleOf(recorded)}>
        <bdi>{titleOf(recorded)}</bdi>
      </h1>
      <StateMark recorded={recorded} />
      {failures > 0 && (
        <span class="badge fail only-wide">
          <Icon name="fail" />
          {count(failures)} {failures === 1 ? "failure" : "failures"}
        </span>
      )}
      <div class="acts">
        <Neighbours id={recorded.id} reading={reading} />
        <nav class="seg" aria-label="Reading">
          {READINGS.map(([name, words]) => (
            <a key={name} href={addressOf(recorded.id, name)} aria-current={name === reading ? "page" : undefined}>
              {words}
            </a>
          ))}
        </nav>
        <Menu recorded={recorded} tree={tree} reload={reload} />
      </div>
    </header>
  );
}
