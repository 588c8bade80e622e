import { useEffect, useState } from "preact/hooks";
import { Alike, Recent } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { State } from "../../parts/marks.tsx";
import { exact } from "../../parts/texts/format.ts";
import { Ago } from "../../parts/time/time.tsx";
import { navigate } from "../../shell/router.ts";
import { stateOf, titleOf } from "../sessions/row.tsx";
import type { SessionRow } from "../sessions/store.ts";
import type { Recorded } from "./readings.ts";

/** Characters of the prompt that another run has to hold. */
const PROMPT = 120;
/** Searches that follow each other, each over the part of the sessions that the last one did not come to. */
const PARTS = 12;

interface CompareWithProps {
  recorded: Recorded;
  close: () => void;
}

/** Asks for the run to compare a session with: those of the same prompt first, then the newest. */
export function CompareWith({ recorded, close }: CompareWithProps) {
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
  // A search that came no further would come no further again.
  const goesOn = others.length === 0 && searchedSince !== null && searchedSince !== part.before && part.number < PARTS;
  useEffect(() => {
    if (goesOn && searchedSince) setPart({ before: searchedSince, number: part.number + 1 });
  }, [goesOn, searchedSince]);
  const isSame = (row: SessionRow) => row.brief.message === rest.recorded.brief.message;
  return (
    <Loaded data={goesOn ? undefined : data} error={error} retry={reload} lines={3}>
      {() => {
        const sorted = [...others.filter(isSame), ...others.filter((row) => !isSame(row))];
        if (sorted.length > 0) return <Runs name="Runs with this prompt" rows={sorted} {...rest} />;
        return <Newest since={searchedSince} {...rest} />;
      }}
    </Loaded>
  );
}

/** The newest sessions. `since`: back to when sessions were searched for the prompt; null for all. */
function Newest({ since = null, ...props }: CompareWithProps & { since?: string | null }) {
  const { data, error, reload } = useQuery(Recent, {});
  return (
    <Loaded data={data} error={error} retry={reload} lines={3}>
      {({ recordedSessions: { nodes } }) => (
        <>
          <p class="mid">
            No other session {since && `since ${exact(Date.parse(since))} `}holds this prompt. These are the newest:
          </p>
          <Runs name="Newest sessions" rows={nodes.filter(({ id }) => id !== props.recorded.id)} {...props} />
        </>
      )}
    </Loaded>
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
            <State {...stateOf(row)} />
            <bdi class="cut grow">{titleOf(row)}</bdi>
            <bdi class="dim cut">{row.source ?? row.brief.agent}</bdi>
            <span class="dim num">
              <Ago at={row.startedAt} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
