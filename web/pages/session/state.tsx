import { getOwnProperty } from "../../../formats/own.ts";
import { Icon } from "../../parts/icon.tsx";
import type { IconName } from "../../parts/icons.tsx";
import { removeAnsi } from "../../parts/texts/ansi.ts";
import { formatDuration, formatExactTime, truncate } from "../../parts/texts/format.ts";
import { RedactedText } from "../../parts/texts/redacted.tsx";
import { tickingTime } from "../../parts/time/time.tsx";
import { formatSessionState } from "../sessions/row.tsx";
import type { SessionData } from "./readings.ts";

type Name = SessionData["state"];

interface Standing {
  label: string;
  icon: IconName;
  /** Class of the color. */
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

/** States in which an agent needs a user. */
const STOPPED: readonly Name[] = ["waitingForPermission", "waitingForAnswer", "looping", "stuck"];

/**
 * Returns the label and the icon of a session's state. An idle session shows the state from the list of sessions if no
 * connector recorded the session, or if that state is “Failed”. Without a connector, single events do not report the
 * end of a turn.
 */
function standingOf(recorded: SessionData): Standing {
  const listed = formatSessionState(recorded);
  if (recorded.state !== "idle" || (recorded.source !== null && listed.state !== "fail")) return STATES[recorded.state];
  const { icon } = STATES[({ run: "working", ok: "ended", fail: "failed" } as const)[listed.state]];
  return { label: listed.label, icon, tone: listed.state };
}

/** State of the session, beside the title. */
export function SessionStateBadge({ recorded }: { recorded: SessionData }) {
  const { label, icon, tone } = standingOf(recorded);
  const since = Date.parse(recorded.stateSince);
  return (
    <span class={`st ${tone} session-state`} title={`Since ${formatExactTime(since)}`}>
      <Icon name={icon} class={icon === "run" ? "i-14 ring" : "i-14"} />
      {label}
    </span>
  );
}

/** Labels for the bar of the event that the session's state refers to, such as a call that waits for permission. */
export const STATE_EVENT_LABELS: Partial<Record<Name, string>> = {
  waitingForPermission: "waiting for permission",
  waitingForAnswer: "waiting for an answer",
  looping: "repeating the same calls",
};

const SAYS: Partial<Record<Name, string>> = {
  waitingForPermission: "has been waiting for permission",
  waitingForAnswer: "has been waiting for an answer",
  looping: "has been repeating the same calls",
  stuck: "has reported nothing",
};

/** Maximum number of characters of a question in the banner. The event contains the full question. */
const QUESTION = 200;

/**
 * Banner of a session in which the agent needs a user. Shows the agent's question, for how long the session has had its
 * state, the computer and the folder. Renders nothing for other sessions.
 */
export function StoppedBanner({ recorded, select }: { recorded: SessionData; select: (eventId: string) => void }) {
  const { state, stateSince, waitsFor, stateEvent, metadata, source, brief } = recorded;
  if (!STOPPED.includes(state)) return null;
  const { icon, tone } = STATES[state];
  const [folder, computer] = ["cwd", "host"]
    .map((name) => getOwnProperty(metadata, name))
    .map((value) => textOf(value));
  const question = removeAnsi(waitsFor ?? "").replace(/\s+/g, " ");
  return (
    <section class={`stopped ${tone}`} aria-label="What the agent is waiting for">
      <Icon name={icon} class="i-14" />
      <p>
        <b>
          <bdi>{source ?? brief.agent ?? "The agent"}</bdi> {SAYS[state]}
        </b>{" "}
        for {formatDuration(tickingTime.value - Date.parse(stateSince))}
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
            <RedactedText text={truncate(question, QUESTION)} plain />
          </code>
        )}
      </p>
      {stateEvent && (
        <button class="link" type="button" onClick={() => select(stateEvent.id)}>
          {state === "waitingForPermission" ? "Show the requested call" : "Show the call"}
        </button>
      )}
    </section>
  );
}

const textOf = (value: unknown): string => (typeof value === "string" ? truncate(value, 80) : "");
