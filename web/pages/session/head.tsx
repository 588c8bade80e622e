import { useState } from "preact/hooks";
import type { SessionQuery } from "../../data/documents.ts";
import { Icon } from "../../parts/icon.tsx";
import { MARKS } from "../../parts/marks.tsx";
import { copyText } from "../../parts/texts/copy.tsx";
import { clock, count, duration, exact, money, plural } from "../../parts/texts/format.ts";
import { Ago, ticking } from "../../parts/time/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { endOf, stateOf, titleOf } from "../sessions/row.tsx";
import type { EventTree } from "./events.ts";
import { download, toJson, toMarkdown } from "./export.ts";
import { IssuesFact } from "./issues.tsx";

export type Recorded = SessionQuery["recordedSession"];

/** A way to read a session. */
export type Reading = "timeline" | "transcript" | "log";
const READINGS: [reading: Reading, name: string][] = [
  ["timeline", "Timeline"],
  ["transcript", "Transcript"],
  ["log", "Log"],
];

/** The address of a view of a session. */
export const addressOf = (id: string, reading: Reading): string =>
  reading === "timeline" ? `/sessions/${id}` : `/sessions/${id}/${reading}`;

interface HeadProps {
  recorded: Recorded;
  tree: EventTree;
  reading: Reading;
}

/** The session's name, the ways to read it, and its actions. */
export function Head({ recorded, tree, reading }: HeadProps) {
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
      {failures > 0 && (
        <span class="badge fail only-wide">
          <Icon name="fail" />
          {count(failures)} {failures === 1 ? "failure" : "failures"}
        </span>
      )}
      <div class="acts">
        <nav class="seg" aria-label="Reading">
          {READINGS.map(([name, words]) => (
            <a key={name} href={addressOf(recorded.id, name)} aria-current={name === reading ? "page" : undefined}>
              {words}
            </a>
          ))}
        </nav>
        <button class="btn sq only-wide" type="button" aria-label="Copy link" title="Copy link" onClick={copyLink}>
          <Icon name="link" class="i-14" />
        </button>
        <Export recorded={recorded} tree={tree} />
      </div>
    </header>
  );
}

const copyLink = () => void copyText(location.href).then(() => toast("The link is copied."));

function Export({ recorded, tree }: Pick<HeadProps, "recorded" | "tree">) {
  const [busy, setBusy] = useState(false);
  const save = async (kind: "json" | "md") => {
    setBusy(true);
    try {
      const text = kind === "json" ? await toJson(recorded, tree) : await toMarkdown(recorded, tree);
      download(`session-${recorded.id}.${kind}`, text);
    } catch (error) {
      toast((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <>
      <button class="btn only-wide" type="button" onClick={() => save("md")} disabled={busy} aria-busy={busy}>
        Markdown
      </button>
      <button class="btn only-wide" type="button" onClick={() => save("json")} disabled={busy} aria-busy={busy}>
        JSON
      </button>
    </>
  );
}

/** The session at a glance. */
export function Facts({ recorded, tree }: { recorded: Recorded; tree: EventTree }) {
  const { totals, brief, user, clientConfig, startedAt } = recorded;
  const { state, label } = stateOf(recorded);
  const began = Date.parse(startedAt);
  const traits = Object.entries(user?.traits ?? {}).slice(0, 2);
  const end = Math.max(endOf(recorded), tree.all.length > 0 ? tree.end : 0, tree.open ? ticking.value : 0);
  return (
    <dl class="facts" tabIndex={0}>
      <Fact name="State">
        <span class={`st ${state}`}>
          <Icon name={MARKS[state]} class={state === "run" ? "i-14 ring" : "i-14"} />
          {label}
        </span>
      </Fact>
      <Fact name="Agent">
        <bdi>{recorded.source ?? brief.agent ?? "–"}</bdi> <small>{clientConfig}</small>
      </Fact>
      {user && (
        <Fact name="User">
          <a href={`/users/${encodeURIComponent(user.id)}`}>
            <bdi>{user.id}</bdi>
          </a>{" "}
          <small>{traits.map(([key, value]) => `${key} ${short(value)}`).join(" · ")}</small>
        </Fact>
      )}
      <Fact name="Started">
        <time dateTime={startedAt} title={exact(began)}>
          {clock(began)}
        </time>{" "}
        <small>
          <Ago at={startedAt} />
        </small>
      </Fact>
      <Fact name="Duration">{duration(end - began)}</Fact>
      <Fact name="Events">
        {count(totals.events)}{" "}
        <small>
          {plural(totals.turns, "turn")} · {plural(totals.toolCalls, "tool call")}
        </small>
      </Fact>
      {totals.models.length > 0 && (
        <Fact name="Model">
          <bdi>{totals.models[0]}</bdi> {totals.models.length > 1 && <small>+{totals.models.length - 1}</small>}
        </Fact>
      )}
      {totals.inputTokens + totals.outputTokens > 0 && (
        <Fact name="Tokens">
          {count(totals.inputTokens + totals.outputTokens)}{" "}
          {totals.cacheReadTokens > 0 && <small>{count(totals.cacheReadTokens)} cached</small>}
        </Fact>
      )}
      {totals.cost > 0 && <Fact name="Cost">{money(totals.cost)}</Fact>}
      <Fact name="Failures">{totals.failures === 0 ? "–" : count(totals.failures)}</Fact>
      <IssuesFact sessionId={recorded.id} />
    </dl>
  );
}

const Fact = ({ name, children }: { name: string; children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const short = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
};
