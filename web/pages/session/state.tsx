import { readOwn } from "../../../formats/own.ts";
import { Icon } from "../../parts/icon.tsx";
import type { IconName } from "../../parts/icons.tsx";
import { withoutAnsi } from "../../parts/texts/ansi.ts";
import { clip, duration, exact } from "../../parts/texts/format.ts";
import { Redacted } from "../../parts/texts/redacted.tsx";
import { ticking } from "../../parts/time/time.tsx";
import { stateOf } from "../sessions/row.tsx";
import type { Recorded } from "./readings.ts";

type Name = Recorded["state"];

interface Standing {
  label: string;
  icon: IconName;
  /** The class of its colour. */
  tone: "run" | "fail" | "ok" | "idle";
}

const STATES: Record<Name, Standing> = {
  working: { label: "Working", icon: "run", tone: "run" },
  waitingForPermission: { label: "Waiting for permission", icon: "lock", tone: "run" },
  waitingForAnswer: { label: "Waiting for an answer", icon: "turn", tone: "run" },
  looping: { label: "Looping", icon: "retry", tone: "run" },
  stuck: { label: "Stuck", icon: "pause", tone: "fail" },
  idle: { label: "Idle", icon: "clock", tone: "idle" },
  failed: { label: "Failed", icon: "fail", tone: "fail" },
  ended: { label: "Ended", icon: "okc", tone: "ok" },
};

/** The states in which an agent needs a person. */
const STOPPED: readonly Name[] = ["waitingForPermission", "waitingForAnswer", "looping", "stuck"];

/** The state of a session. One that came event by event tells no turns, and stands as the list of sessions has it. */
function standingOf(recorded: Recorded): Standing {
  const listed = stateOf(recorded);
  if (recorded.state !== "idle" || (recorded.source !== null && listed.state !== "fail")) return STATES[recorded.state];
  const { icon } = STATES[({ run: "working", ok: "ended", fail: "failed" } as const)[listed.state]];
  return { label: listed.label, icon, tone: listed.state };
}

/** The state of the session, beside its name. */
export function StateMark({ recorded }: { recorded: Recorded }) {
  const { label, icon, tone } = standingOf(recorded);
  const since = Date.parse(recorded.stateSince);
  return (
    <span class={`st ${tone} session-state`} title={`Since ${exact(since)}`}>
      <Icon name={icon} class={icon === "run" ? "i-14 ring" : "i-14"} />
      {label}
    </span>
  );
}

/** The line that is said on the bar of the event that a state is about, such as "waits for permission". */
export const WAITS: Partial<Record<Name, string>> = {
  waitingForPermission: "waits for permission",
  waitingForAnswer: "waits for an answer",
  looping: "repeats itself",
};

const SAYS: Partial<Record<Name, string>> = {
  waitingForPermission: "has waited for permission",
  waitingForAnswer: "has waited for an answer",
  looping: "has repeated its last calls",
  stuck: "has said nothing",
};

/** Characters of a question that stand in the strap; the event has all of it. */
const QUESTION = 200;

/** The wish of an agent that has stopped, since when, and where it runs; nothing for any other. */
export function Strap({ recorded, select }: { recorded: Recorded; select: (eventId: string) => void }) {
  const { state, stateSince, waitsFor, stateEvent, metadata, source, brief } = recorded;
  if (!STOPPED.includes(state)) return null;
  const { icon, tone } = STATES[state];
  const [folder, computer] = ["cwd", "host"].map((name) => readOwn(metadata, name)).map((value) => textOf(value));
  const question = withoutAnsi(waitsFor ?? "").replace(/\s+/g, " ");
  return (
    <section class={`stopped ${tone}`} aria-label="What it waits for">
      <Icon name={icon} class="i-14" />
      <p>
        <b>
          <bdi>{source ?? brief.agent ?? "The agent"}</bdi> {SAYS[state]}
        </b>{" "}
        for {duration(ticking.value - Date.parse(stateSince))}
        {folder && (
          <>
            , in <code>{folder}</code>
          </>
        )}
        {computer && (
          <>
            {" on "}
            <bdi>{computer}</bdi>
          </>
        )}
        .{" "}
        {question && (
          <code class="question">
            <Redacted text={clip(question, QUESTION)} plain />
          </code>
        )}
      </p>
      {stateEvent && (
        <button class="link" type="button" onClick={() => select(stateEvent.id)}>
          {state === "waitingForPermission" ? "What it wants to run" : "Show the call"}
        </button>
      )}
    </section>
  );
}

const textOf = (value: unknown): string => (typeof value === "string" ? clip(value, 80) : "");
