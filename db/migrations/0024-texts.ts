import { builtConcurrently } from "./concurrently.ts";
import type { Migration } from "./index.ts";

/** The texts that searches read, beside their rows: an update that leaves the text alone does not pay for its index. */
export const texts: Migration = {
  id: "0024-texts",
  statements: [
    "create extension if not exists pg_trgm",
    "create extension if not exists btree_gin",
    ...["issue", "comment"].flatMap((of) => {
      const table = `${of}Text`;
      const name = table.toLowerCase();
      return [
        `create table if not exists "${table}" (
          "organizationId" uuid not null, id uuid not null, "createdAt" timestamptz(3) not null, text text not null,
          primary key ("organizationId", id),
          foreign key ("organizationId", id) references "${of}" ("organizationId", id) on delete cascade
        )`,
        ...builtConcurrently(`${name}_created`, `"${table}" ("organizationId", "createdAt", id)`),
        // The list of what is not sorted in yet is short, so that no writer has much to sort in at once.
        ...builtConcurrently(
          `${name}_parts`,
          `"${table}" using gin ("organizationId", text gin_trgm_ops) with (gin_pending_list_limit = 256)`,
        ),
      ];
    }),
  ],
};
