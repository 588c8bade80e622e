import { Icon } from "../../parts/icon.tsx";
import { formatCount } from "../../parts/texts/format.ts";
import { formatSessionTitle } from "../sessions/row.tsx";
import type { EventTree } from "./events.ts";
import { SessionMenu } from "./menu.tsx";
import { AdjacentSessions } from "./neighbours.tsx";
import { buildViewAddress, SESSION_VIEWS, type SessionData, type SessionView } from "./readings.ts";
import { SessionStateBadge } from "./state.tsx";

interface HeadProps {
  recorded: SessionData;
  tree: EventTree;
  reading: SessionView;
  /** Reads the session again. */
  reload: () => void;
}

/** Head of the session page: title, state, tabs of the views, and actions. */
export function SessionHead({ recorded, tree, reading, reload }: HeadProps) {
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
      <h1 class="cut" title={formatSessionTitle(recorded)}>
        <bdi>{formatSessionTitle(recorded)}</bdi>
      </h1>
      <SessionStateBadge recorded={recorded} />
      {failures > 0 && (
        <span class="badge fail only-wide">
          <Icon name="fail" />
          {formatCount(failures)} {failures === 1 ? "failure" : "failures"}
        </span>
      )}
      <div class="acts">
        <AdjacentSessions id={recorded.id} reading={reading} />
        <nav class="seg" aria-label="View">
          {SESSION_VIEWS.map(([name, words]) => (
            <a
              key={name}
              href={buildViewAddress(recorded.id, name)}
              aria-current={name === reading ? "page" : undefined}
            >
              {words}
            </a>
          ))}
        </nav>
        <SessionMenu recorded={recorded} tree={tree} reload={reload} />
      </div>
    </header>
  );
}
