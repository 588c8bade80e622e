import { useEffect, useState } from "preact/hooks";
import { Alike, Recent } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { StatusIcon } from "../../parts/marks.tsx";
import { formatExactTime } from "../../parts/texts/format.ts";
import { Age } from "../../parts/time/time.tsx";
import { navigate } from "../../shell/router.ts";
import { formatSessionState, formatSessionTitle } from "../sessions/row.tsx";
import type { SessionRow } from "../sessions/store.ts";
import type { SessionData } from "./readings.ts";

/**
 * Maximum length of the search text, which is the start of the prompt's first line. The dialog searches for sessions
 * that contain the search text.
 */
const PROMPT = 120;
/** Maximum number of consecutive searches. Each search continues where the previous search stopped. */
const PARTS = 12;

interface CompareWithProps {
  recorded: SessionData;
  close: () => void;
}

/**
 * Dialog in which the user chooses the run to compare with. The dialog lists runs with the same prompt. If no other run
 * has the prompt, the dialog lists the newest runs.
 */
export function CompareRunDialog({ recorded, close }: CompareWithProps) {
  const text = (recorded.brief.message ?? "").trim().split("\n", 1)[0]?.slice(0, PROMPT) ?? "";
  return (
    <Dialog title="Compare with another run" close={close}>
      {text ? <Known text={text} recorded={recorded} close={close} /> : <Newest recorded={recorded} close={close} />}
    </Dialog>
  );
}

function Known({ text, ...rest }: CompareWithProps & { text: string }) {
  const [part, setPart] = useState<{ before?: string; number: number }>({ number: 1 });
  const filter = { text, ...(part.before && { startedAt: { lte: part.before } }) };
  const { data, error, reload } = useQuery(Alike, { filter });
  const { nodes = [], searchedSince = null } = data?.recordedSessions ?? {};
  const others = nodes.filter(({ id }) => id !== rest.recorded.id);
  // Stops if a search ended at the same time as the previous search, because further searches would not get further
  // either.
  const goesOn = others.length === 0 && searchedSince !== null && searchedSince !== part.before && part.number < PARTS;
  useEffect(() => {
    if (goesOn && searchedSince) setPart({ before: searchedSince, number: part.number + 1 });
  }, [goesOn, searchedSince]);
  const isSame = (row: SessionRow) => row.brief.message === rest.recorded.brief.message;
  return (
    <LoadedContent data={goesOn ? undefined : data} error={error} retry={reload} lines={3}>
      {() => {
        const sorted = [...others.filter(isSame), ...others.filter((row) => !isSame(row))];
        if (sorted.length > 0) return <Runs name="Runs with this prompt" rows={sorted} {...rest} />;
        return <Newest since={searchedSince} {...rest} />;
      }}
    </LoadedContent>
  );
}

/**
 * List of the newest sessions. `since` is the time back to which sessions were searched for the prompt; null if there
 * was no such limit.
 */
function Newest({ since = null, ...props }: CompareWithProps & { since?: string | null }) {
  const { data, error, reload } = useQuery(Recent, {});
  return (
    <LoadedContent data={data} error={error} retry={reload} lines={3}>
      {({ recordedSessions: { nodes } }) => (
        <>
          <p class="mid">
            No other session {since && `since ${formatExactTime(Date.parse(since))} `}has the same prompt. The list
            shows the newest sessions:
          </p>
          <Runs name="Newest sessions" rows={nodes.filter(({ id }) => id !== props.recorded.id)} {...props} />
        </>
      )}
    </LoadedContent>
  );
}

function Runs({ name, rows, recorded, close }: CompareWithProps & { name: string; rows: readonly SessionRow[] }) {
  const compare = (other: string) => {
    close();
    navigate(`/sessions/${recorded.id}/compare/${other}`);
  };
  return (
    <ul class="runs" aria-label={name}>
      {rows.map((row) => (
        <li key={row.id}>
          <button class="plain row" type="button" onClick={() => compare(row.id)}>
            <StatusIcon {...formatSessionState(row)} />
            <bdi class="cut grow">{formatSessionTitle(row)}</bdi>
            <bdi class="dim cut">{row.source ?? row.brief.agent}</bdi>
            <span class="dim num">
              <Age at={row.startedAt} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
