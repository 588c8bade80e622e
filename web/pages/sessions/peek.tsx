import { CostText } from "../../parts/cost.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ActivityChart, FailureCount } from "../../parts/marks.tsx";
import { formatCount, formatDuration, formatPlural } from "../../parts/texts/format.ts";
import { Age } from "../../parts/time/time.tsx";
import { computeSessionDuration, extractMessageText, formatSessionState, isSessionRunning } from "./row.tsx";
import type { SessionRow } from "./store.ts";

interface PeekProps {
  row: SessionRow;
  close: () => void;
}

/** Preview of a session beside the list: the full prompt, and details that the list does not show. */
export function SessionPreview({ row, close }: PeekProps) {
  const { brief, totals } = row;
  const message = extractMessageText(brief.message ?? "").trim();
  return (
    <aside class="panel peek" aria-label="Session preview">
      <header>
        <div class="row">
          <h2>{formatSessionState(row).label}</h2>
          <div class="acts">
            <a class="btn" href={`/sessions/${row.id}`}>
              Open
            </a>
            <button class="btn quiet sq" type="button" aria-label="Close" onClick={close}>
              <Icon name="x" />
            </button>
          </div>
        </div>
      </header>
      <p class="said" dir="auto">
        {message || <span class="dim">No prompt.</span>}
      </p>
      <div class="said">
        <ActivityChart course={brief.course} live={isSessionRunning(row)} failures={totals.failures} />
      </div>
      <Facts row={row} />
    </aside>
  );
}

function Facts({ row }: { row: SessionRow }) {
  const { brief, totals, user, source, startedAt } = row;
  const facts: [name: string, value: preact.ComponentChildren][] = [
    ["Agent", <bdi key="agent">{source ?? brief.agent ?? "–"}</bdi>],
    ["Models", <bdi key="models">{totals.models.join(", ") || "–"}</bdi>],
    [
      "User",
      user ? (
        <a key="user" href={`/users/${encodeURIComponent(user.id)}`}>
          {user.id}
        </a>
      ) : (
        "–"
      ),
    ],
    ["Started", <Age key="started" at={startedAt} prose />],
    ["Duration", formatDuration(computeSessionDuration(row))],
    [
      "Events",
      `${formatCount(totals.events)}: ${formatPlural(totals.turns, "turn")}, ${formatPlural(totals.toolCalls, "tool call")}`,
    ],
    ["Failures", <FailureCount key="failures" count={totals.failures} />],
    [
      "Tokens",
      `${formatCount(totals.inputTokens)} in, ${formatCount(totals.outputTokens)} out, ${formatCount(totals.cacheReadTokens)} cached`,
    ],
    ["Cost", (totals.cost ?? 0) > 0 ? <CostText key="cost" {...totals} /> : "–"],
    ["ID", <code key="id">{row.id}</code>],
  ];
  return (
    <dl class="kv">
      {facts.map(([name, value]) => (
        <div key={name} class="contents">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
