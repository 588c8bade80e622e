import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";

/** The part of a status that decides about moments. */
export type Status = Pick<Found<"ProjectStatus">, "id" | "type">;

type Stamps = Pick<Found<"Project">, "startedAt" | "completedAt" | "canceledAt">;

const NONE: Stamps = { startedAt: null, completedAt: null, canceledAt: null };

/** The moments that entering a status stamps on a project, and those that leaving one clears. */
export function statusStamps(write: Write, { type }: Status, before: Stamps = NONE): Stamps {
  const begun = type === "backlog" || type === "planned";
  return {
    startedAt: begun ? null : type === "started" ? (before.startedAt ?? write.at) : before.startedAt,
    completedAt: type === "completed" ? (before.completedAt ?? write.at) : null,
    canceledAt: type === "canceled" ? (before.canceledAt ?? write.at) : null,
  };
}
