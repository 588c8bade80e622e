/** One step of the schema: statements run one a call, each safe to run again. */
export interface Migration {
  /** Four digits, by which migrations are ordered, and an area. */
  id: string;
  statements: readonly string[];
}

/** The columns of every row of an organization: the key begins with the organization. */
export const IDS = `"organizationId" uuid not null references organization (id), id uuid not null`;

/** The moments that every resource has. */
export const TIMES = `"createdAt" timestamptz(3) not null, "updatedAt" timestamptz(3) not null, "archivedAt" timestamptz(3)`;

/** A foreign key between tenant tables carries the organization, so no row can point into another's. */
export const link = (column: string, table: string): string =>
  `foreign key ("organizationId", "${column}") references "${table}" ("organizationId", id)`;
