import { type Entity, type LinkTable, type Model, type OnDelete, storedEntities } from "../../read/entity.ts";

/** Rows of `entity` whose column `by` contains the id of the row being deleted. */
export interface DependentLink {
  entity: Entity;
  by: string;
  onDelete: OnDelete;
}

/** Pairs of a link table that contain the id of the row being deleted. */
export interface DependentPairs {
  pairs: LinkTable;
  owner: Entity;
  /** True if the entity of the row being deleted owns the link table. */
  own: boolean;
}

/** All declared references to the rows of an entity. */
export interface Dependents {
  links: readonly DependentLink[];
  pairs: readonly DependentPairs[];
  /** Tables that have no entity: name of the table, and its column that contains the id. */
  tables: Readonly<Record<string, string>>;
}

const known = new WeakMap<Model, Map<string, Dependents>>();

/** Returns the dependents of an entity. Reads the declarations of all entities once per model. */
export function findDependents(model: Model, name: string): Dependents {
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
    // Entities that can refuse a deletion come first: issues are deleted before their states.
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
