import { type Entity, type EntityModel, type LinkTable, type OnDelete, storedEntities } from "../../read/entity.ts";

/** Rows of `entity` whose column `by` contains the id of the row being deleted. */
export interface DependentLink {
  entity: Entity;
  by: string;
  onDelete: OnDelete;
}

/** Pairs of a link table that contain the id of the row being deleted. */
export interface DependentLinkTable {
  pairs: LinkTable;
  owner: Entity;
  /** True if the entity of the row being deleted owns the link table. */
  own: boolean;
}

/** All declared references to the rows of an entity. */
export interface EntityDependents {
  links: readonly DependentLink[];
  pairs: readonly DependentLinkTable[];
  /** Tables without an entity that also reference the rows: the table's name, and its column that contains the id. */
  tables: Readonly<Record<string, string>>;
}

const known = new WeakMap<EntityModel, Map<string, EntityDependents>>();

/** Returns the dependents of an entity. Reads the declarations of all entities once per model. */
export function findEntityDependents(model: EntityModel, name: string): EntityDependents {
  const all = known.get(model) ?? new Map<string, EntityDependents>();
  known.set(model, all);
  const found = all.get(name) ?? read(model, name);
  all.set(name, found);
  return found;
}

function read(model: EntityModel, name: string): EntityDependents {
  const entities = storedEntities(model);
  const links = entities
    .flatMap((entity) =>
      Object.values(entity.one ?? {}).flatMap((link) =>
        link.by !== undefined && link.entity === name ? [{ entity, by: link.by, onDelete: link.onDelete }] : [],
      ),
    )
    // Entities whose rows can refuse a deletion come first. For example, the server deletes issues before the issues'
    // states.
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
