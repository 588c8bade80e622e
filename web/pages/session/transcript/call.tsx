import { Icon } from "../../../parts/icon.tsx";
import { removeAnsi } from "../../../parts/texts/ansi.ts";
import { formatDuration } from "../../../parts/texts/format.ts";
import { LongText } from "../../../parts/texts/long-text.tsx";
import { RedactedText } from "../../../parts/texts/redacted.tsx";
import { useHistoryState } from "../../../shell/kept.ts";
import { computeEventDuration, type SessionEvent } from "../events.ts";
import { formatEventName, formatFailureText, getEventIcon, summarizeArguments } from "../words.ts";
import { useEventContent } from "./texts.ts";

interface CallProps {
  sessionId: string;
  event: SessionEvent;
}

/** Tool call in a transcript, collapsed unless the call failed. The content is read when the call is expanded. */
export function TranscriptCall({ sessionId, event }: CallProps) {
  const [open, setOpen] = useHistoryState(`open ${event.id}`, event.failed);
  const texts = useEventContent(sessionId, event.id, open);
  return (
    <details
      class={event.failed ? "tcall bad" : "tcall"}
      open={open}
      onToggle={(toggle) => setOpen(toggle.currentTarget.open)}
    >
      <Line event={event} />
      {open && texts && (
        <div class="body">
          <LongText text={removeAnsi(texts.result) || "No result."} label={`Result of ${event.name}`} />
          <a href={`/sessions/${sessionId}/events/${event.id}`}>Open the event</a>
        </div>
      )}
      {open && event.children.length > 0 && (
        <div class="sub">
          <div class="tools">
            {event.children.map((child) => (
              <TranscriptCall key={child.id} sessionId={sessionId} event={child} />
            ))}
          </div>
        </div>
      )}
    </details>
  );
}

/** Line of a folded call. */
function Line({ event }: { event: SessionEvent }) {
  const why = formatFailureText(event);
  return (
    <summary>
      <Icon name="right" class="i-14" />
      <Icon name={getEventIcon(event)} class="i-14" />
      <b>{formatEventName(event)}</b>
      <bdi class="mono cut">
        <RedactedText text={summarizeArguments(event)} plain />
      </bdi>
      <span class="end">
        {why && (
          <span class="c-fail">
            <Icon name="fail" class="i-14" /> {why}
          </span>
        )}
        {formatDuration(computeEventDuration(event))}
      </span>
    </summary>
  );
}
