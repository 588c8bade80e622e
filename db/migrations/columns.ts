/** A step of the schema. Statements run one per call, and each may run again. */
export interface Migration {
  /** Id with four digits, which determine the order, and an area. */
  id: string;
  statements: readonly string[];
}

/** Columns at the beginning of every row of an organization. */
export const ID_COLUMNS = `"organizationId" uuid not null references organization (id), id uuid not null`;

/** Times that every resource has. */
export const TIME_COLUMNS = `"createdAt" timestamptz(3) not null, "updatedAt" timestamptz(3) not null, "archivedAt" timestamptz(3)`;

/**
 * Returns a foreign key between tables of organizations. The key contains the organization, so no row can refer to
 * another organization's row.
 */
export const buildForeignKey = (column: string, table: string): string =>
  `foreign key ("organizationId", "${column}") references "${table}" ("organizationId", id)`;
