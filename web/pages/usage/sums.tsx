import type { ComponentChildren } from "preact";
import type { IssuesDoneQuery } from "../../data/documents.ts";
import { count, money } from "../../parts/texts/format.ts";
import { isOwner } from "../settings/parts.tsx";
import { change, eachOf, type Measured, READ, type Taken, type Whole } from "./figures.ts";

interface SumsProps {
  all: Whole;
  /** The time before; undefined until it is read. */
  before: Measured | undefined;
  /** Undefined until it is read, and where there are too many issues to be counted. */
  done: IssuesDoneQuery | undefined;
  span: number;
}

/** The sums of a time, each with its change against the time before. */
export function Sums({ all, before, done, span }: SumsProps) {
  const [tokens, cached] = [READ.tokens(all) ?? 0, count(all.cacheReadTokens)];
  const each = eachOf(all, all.sessions);
  const eachDone = done && eachOf(all, done.now.count);
  const since = before && {
    cost: change(all.cost ?? 0, before.cost ?? 0),
    tokens: change(tokens, READ.tokens(before) ?? 0),
    sessions: change(all.sessions, before.sessions),
    each: change(each ?? 0, eachOf(before, before.sessions) ?? 0),
    eachDone: done && change(eachDone ?? 0, eachOf(before, done.before.count) ?? 0),
  };
  return (
    <dl class="figs">
      <Sum name="Cost" value={all.cost === null ? "unknown" : money(all.cost)}>
        {since?.cost && `${since.cost} against the ${span} days before`}
      </Sum>
      <Sum name="Tokens" value={count(tokens)}>
        {[`${cached} from a cache`, since?.tokens].filter(Boolean).join(", ")}
      </Sum>
      <Sum name="Sessions" value={all.sessions.toLocaleString()}>
        {since?.sessions}
      </Sum>
      <Sum name="Each session" value={each === null ? "–" : money(each)}>
        {since?.each}
      </Sum>
      <Sum name="Each issue done" value={eachDone ? money(eachDone) : "–"}>
        {done && [`${done.now.count.toLocaleString()} done`, since?.eachDone].filter(Boolean).join(", ")}
      </Sum>
    </dl>
  );
}

/** A figure under its name, with a line that keeps its place while it is empty. */
const Sum = ({ name, value, children }: { name: string; value: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
    <dd class="sub">{children || "\u00a0"}</dd>
  </div>
);

/** Tokens that nobody knows the price of. */
export function Missing({ groups }: { groups: readonly Taken[] }) {
  const names = groups.filter(({ missingCosts }) => missingCosts > 0).map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <p class="hint">
      The sums leave out events with tokens and no cost, of <bdi>{names.slice(0, 5).join(", ")}</bdi>
      {names.length > 5 && ` and ${names.length - 5} more`}.{" "}
      {isOwner() ? (
        <a href="/settings/prices">Set prices for their models</a>
      ) : (
        "An owner can set prices for their models"
      )}
      .
    </p>
  );
}
