import type { Statement } from "../../db/open.ts";
import type { Model } from "./entity.ts";
import { type Build, type Getter, type Inputs, newBuild } from "./row.ts";

interface Written {
  text: string;
  getters: readonly Getter[];
  name: string;
}

/** How many statements are remembered, each a prepared one on every connection; further ones are written anew. */
const MAX_REMEMBERED = 200;
const written = new Map<string, Written>();

/**
 * The statement of a shape: its text is written at its first use and then prepared once a connection, its parameters
 * are taken from the inputs each time. `shape` must tell apart whatever makes the text differ.
 */
export function prepared(model: Model, shape: string, inputs: Inputs, write: (build: Build) => string): Statement {
  const known = written.get(shape);
  if (known) return statement(known, inputs);
  const build = newBuild(model, inputs);
  const text = write(build);
  const fresh = { text, getters: build.getters, name: `write-${written.size}` };
  if (written.size >= MAX_REMEMBERED) return { text, values: valuesOf(fresh, inputs) };
  written.set(shape, fresh);
  return statement(fresh, inputs);
}

const statement = (known: Written, inputs: Inputs): Statement => ({
  text: known.text,
  name: known.name,
  values: valuesOf(known, inputs),
});

const valuesOf = ({ getters }: Pick<Written, "getters">, inputs: Inputs) => getters.map((get) => get(inputs));
