import { HOUR_MS } from "../../../formats/time.ts";
import { IgnoreFailure, UnignoreFailure } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";
import { exact } from "../../parts/texts/format.ts";
import { toast } from "../../parts/toast.tsx";
import type { FullGroup } from "./panel.tsx";

type Input = { until?: string; untilCount?: number };

const after = (hours: number): Input => ({ until: new Date(Date.now() + hours * HOUR_MS).toISOString() });

interface IgnoreProps {
  group: FullGroup;
  close: () => void;
  done: () => void;
}

/** Asks for how long a group is ignored. */
export function IgnoreDialog({ group, close, done }: IgnoreProps) {
  const { busy, error, send } = useSending();
  const choices: [name: string, input: () => Input][] = [
    ["For a day", () => after(24)],
    ["For a week", () => after(24 * 7)],
    [
      `Until it happened twice as often, ${(2 * group.count).toLocaleString()} times`,
      () => ({ untilCount: 2 * group.count }),
    ],
    ["For good", () => ({})],
  ];
  const ignore = (input: Input) =>
    send(
      request(IgnoreFailure, { id: group.id, input }).then(() => {
        close();
        done();
      }),
    );
  return (
    <Dialog title="Ignore these failures" close={close}>
      <p class="mid">They are still recorded and counted, and stand under “Ignored”.</p>
      <div class="stack choices">
        {choices.map(([name, input]) => (
          <button key={name} class="btn" type="button" disabled={busy} onClick={() => ignore(input())}>
            {name}
          </button>
        ))}
      </div>
      <Problem words={error} />
    </Dialog>
  );
}

/** Ends that a group is ignored. */
export const stopIgnoring = (id: string): Promise<unknown> =>
  request(UnignoreFailure, { id }).catch((error: Error) => toast(error.message));

/** For how long a group is ignored, where it is. */
export function Ignored({ group: { ignoredAt, ignoredUntil, ignoredUntilCount } }: { group: FullGroup }) {
  if (!ignoredAt) return null;
  const ends = [
    ignoredUntil && `until ${exact(Date.parse(ignoredUntil))}`,
    ignoredUntilCount && `until it happened ${ignoredUntilCount.toLocaleString()} times`,
  ].filter(Boolean);
  return <p class="hint pad">Ignored {ends.join(", or ") || "for good"}.</p>;
}
