import { Alike, Recent } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { State } from "../../parts/marks.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { navigate } from "../../shell/router.ts";
import { stateOf, titleOf } from "../sessions/row.tsx";
import type { SessionRow } from "../sessions/store.ts";
import type { Recorded } from "./readings.ts";

/** Characters of the prompt that another run has to hold. */
const PROMPT = 120;

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
  const { data, error, reload } = useQuery(Alike, { text });
  const isSame = (row: SessionRow) => row.brief.message === rest.recorded.brief.message;
  return (
    <Loaded data={data} error={error} retry={reload} lines={3}>
      {({ recordedSessions: { nodes } }) => {
        const others = nodes.filter(({ id }) => id !== rest.recorded.id);
        const sorted = [...others.filter(isSame), ...others.filter((row) => !isSame(row))];
        return sorted.length > 0 ? <Runs name="Runs with this prompt" rows={sorted} {...rest} /> : <Newest {...rest} />;
      }}
    </Loaded>
  );
}

function Newest(props: CompareWithProps) {
  const { data, error, reload } = useQuery(Recent, {});
  return (
    <Loaded data={data} error={error} retry={reload} lines={3}>
      {({ recordedSessions: { nodes } }) => (
        <>
          <p class="mid">No other session holds this prompt. These are the newest:</p>
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
