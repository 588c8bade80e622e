import { Cost } from "../../parts/cost.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Course, Failures } from "../../parts/marks.tsx";
import { count, duration, plural } from "../../parts/texts/format.ts";
import { Ago } from "../../parts/time/time.tsx";
import { isActive, stateOf, textOf, tookOf } from "./row.tsx";
import type { SessionRow } from "./store.ts";

interface PeekProps {
  row: SessionRow;
  close: () => void;
}

/** A session at a glance, beside the list: what it was asked in full, and what the list has no room for. */
export function Peek({ row, close }: PeekProps) {
  const { brief, totals } = row;
  const message = textOf(brief.message ?? "").trim();
  return (
    <aside class="panel peek" aria-label="Session at a glance">
      <header>
        <div class="row">
          <h2>{stateOf(row).label}</h2>
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
        {message || <span class="dim">Nothing was asked.</span>}
      </p>
      <div class="said">
        <Course course={brief.course} live={isActive(row)} failures={totals.failures} />
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
    ["Started", <Ago key="started" at={startedAt} prose />],
    ["Duration", duration(tookOf(row))],
    ["Events", `${count(totals.events)}: ${plural(totals.turns, "turn")}, ${plural(totals.toolCalls, "tool call")}`],
    ["Failures", <Failures key="failures" count={totals.failures} />],
    [
      "Tokens",
      `${count(totals.inputTokens)} in, ${count(totals.outputTokens)} out, ${count(totals.cacheReadTokens)} cached`,
    ],
    ["Cost", (totals.cost ?? 0) > 0 ? <Cost key="cost" {...totals} /> : "–"],
    ["Id", <code key="id">{row.id}</code>],
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
