import { Icon } from "../../../parts/icon.tsx";
import { withoutAnsi } from "../../../parts/texts/ansi.ts";
import { duration } from "../../../parts/texts/format.ts";
import { LongText } from "../../../parts/texts/long-text.tsx";
import { Redacted } from "../../../parts/texts/redacted.tsx";
import { useKept } from "../../../shell/kept.ts";
import { type SessionEvent, tookOf } from "../events.ts";
import { about, failureOf, iconOf, nameOf } from "../words.ts";
import { useTexts } from "./texts.ts";

interface CallProps {
  sessionId: string;
  event: SessionEvent;
}

/** A call, folded unless it failed. Its texts are read when it is unfolded. */
export function Call({ sessionId, event }: CallProps) {
  const [open, setOpen] = useKept(`open ${event.id}`, event.failed);
  const texts = useTexts(sessionId, event.id, open);
  return (
    <details
      class={event.failed ? "tcall bad" : "tcall"}
      open={open}
      onToggle={(toggle) => setOpen(toggle.currentTarget.open)}
    >
      <Line event={event} />
      {open && texts && (
        <div class="body">
          <LongText text={withoutAnsi(texts.result) || "Nothing was returned."} label={`Result of ${event.name}`} />
          <a href={`/sessions/${sessionId}/events/${event.id}`}>Open the event</a>
        </div>
      )}
      {open && event.children.length > 0 && (
        <div class="sub">
          <div class="tools">
            {event.children.map((child) => (
              <Call key={child.id} sessionId={sessionId} event={child} />
            ))}
          </div>
        </div>
      )}
    </details>
  );
}

/** The line that stays of a folded call. */
function Line({ event }: { event: SessionEvent }) {
  const why = failureOf(event);
  return (
    <summary>
      <Icon name="right" class="i-14" />
      <Icon name={iconOf(event)} class="i-14" />
      <b>{nameOf(event)}</b>
      <bdi class="mono cut">
        <Redacted text={about(event)} plain />
      </bdi>
      <span class="end">
        {why && (
          <span class="c-fail">
            <Icon name="fail" class="i-14" /> {why}
          </span>
        )}
        {duration(tookOf(event))}
      </span>
    </summary>
  );
}
