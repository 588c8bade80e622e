import { type Entity, type LinkTable, type Model, type OnDelete, storedEntities } from "../../read/entity.ts";

/** Rows of `entity` whose column `by` holds the id of the row that is to go. */
export interface DependentLink {
  entity: Entity;
  by: string;
  onDelete: OnDelete;
}

/** Pairs of a link table that hold the id of the row that is to go. */
export interface DependentPairs {
  pairs: LinkTable;
  /** The entity whose changes publish the pairs. */
  owner: Entity;
  /** True if the row that is to go is the owner's side. */
  own: boolean;
}

/** Everything in the database that holds the id of an entity's rows, by declaration. */
export interface Dependents {
  links: readonly DependentLink[];
  pairs: readonly DependentPairs[];
  /** Tables without an entity, by the column that holds the id. */
  tables: Readonly<Record<string, string>>;
}

const known = new WeakMap<Model, Map<string, Dependents>>();

/** The dependents of an entity's rows, read once from the declarations of all others. */
export function dependentsOf(model: Model, name: string): Dependents {
  const all = known.get(model) ?? new Map<string, Dependents>();
  known.set(model, all);
  const found = all.get(name) ?? read(model, name);
  all.set(name, found);
  return found;
}

function read(model: Model, name: string): Dependents {
  const entities = storedEntities(model);
  const links = entities
    .flatMap((entity) =>
      Object.values(entity.one ?? {}).flatMap((link) =>
        link.by !== undefined && link.entity === name ? [{ entity, by: link.by, onDelete: link.onDelete }] : [],
      ),
    )
    // Rows that refuse the removal of others go first: issues before the states they are in.
    .sort((one, other) => Number(refusesAny(other.entity)) - Number(refusesAny(one.entity)));
  const pairs = entities.flatMap((owner) =>
    Object.values(owner.many ?? {}).flatMap(({ through, entity }) =>
      through?.publishedAs && (owner.name === name || entity === name)
        ? [{ pairs: through, owner, own: owner.name === name }]
        : [],
    ),
  );
  return { links, pairs, tables: model.get(name)?.dependentTables ?? {} };
}

const refusesAny = ({ one }: Entity): boolean =>
  Object.values(one ?? {}).some(
    ({ by, onDelete }: { by?: string; onDelete?: OnDelete }) => by && typeof onDelete === "object",
  );
