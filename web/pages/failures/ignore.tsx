import { HOUR_MS } from "../../../formats/time.ts";
import { IgnoreFailure, UnignoreFailure } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { useRequest } from "../../parts/sending.ts";
import { ErrorNote } from "../../parts/states.tsx";
import { formatExactTime } from "../../parts/texts/format.ts";
import { showToast } from "../../parts/toast.tsx";
import type { FullFailureGroup } from "./panel.tsx";

type Input = { until?: string; untilCount?: number };

const after = (hours: number): Input => ({ until: new Date(Date.now() + hours * HOUR_MS).toISOString() });

interface IgnoreProps {
  group: FullFailureGroup;
  close: () => void;
  done: () => void;
}

/** Dialog that asks for the time or the count until which a group is ignored. */
export function IgnoreFailureDialog({ group, close, done }: IgnoreProps) {
  const { busy, error, send } = useRequest();
  const choices: [name: string, input: () => Input][] = [
    ["For one day", () => after(24)],
    ["For one week", () => after(24 * 7)],
    [`Until the count doubles to ${(2 * group.count).toLocaleString()}`, () => ({ untilCount: 2 * group.count })],
    ["Permanently", () => ({})],
  ];
  const ignore = (input: Input) =>
    send(
      requestGraphQL(IgnoreFailure, { id: group.id, input }).then(() => {
        close();
        done();
      }),
    );
  return (
    <Dialog title="Ignore these failures" close={close}>
      <p class="mid">Trackway keeps recording and counting the failures, and lists them under “Ignored”.</p>
      <div class="stack choices">
        {choices.map(([name, input]) => (
          <button key={name} class="btn" type="button" disabled={busy} onClick={() => ignore(input())}>
            {name}
          </button>
        ))}
      </div>
      <ErrorNote words={error} />
    </Dialog>
  );
}

/** Stops ignoring a group. */
export const unignoreFailureGroup = (id: string): Promise<unknown> =>
  requestGraphQL(UnignoreFailure, { id }).catch((error: Error) => showToast(error.message));

/** Time or count until which a group is ignored; nothing for other groups. */
export function IgnoredUntil({ group: { ignoredAt, ignoredUntil, ignoredUntilCount } }: { group: FullFailureGroup }) {
  if (!ignoredAt) return null;
  const ends = [
    ignoredUntil && `until ${formatExactTime(Date.parse(ignoredUntil))}`,
    ignoredUntilCount && `until the count reaches ${ignoredUntilCount.toLocaleString()}`,
  ].filter(Boolean);
  return <p class="hint pad">Ignored {ends.join(", or ") || "permanently"}.</p>;
}
