import { nullable } from "../../read/entity.ts";
import type { RowOf } from "../../write/rows.ts";
import { BASE, organizationLink } from "../fields.ts";
import type { Resource } from "../resource.ts";

const columns = { ...BASE, name: "text", displayName: "text", email: nullable("text") } as const;

declare module "../../write/rows.ts" {
  interface Rows {
    ExternalUser: { stored: RowOf<typeof columns> };
  }
}

/** Somebody without an account, who wrote what was imported. Imports make them. */
export const externalUser: Resource = {
  entity: {
    name: "ExternalUser",
    table: "externalUser",
    event: "externalUser",
    columns,
    one: { organization: organizationLink },
  },
  one: { externalUser: { entity: "ExternalUser" } },
  many: { externalUsers: { entity: "ExternalUser" } },
};
