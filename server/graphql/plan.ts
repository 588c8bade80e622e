import { createHash } from "node:crypto";
import { getArgumentValues } from "graphql";
import type { Statement } from "../../db/open.ts";
import { type Build, type Inputs, newBuild } from "../core/row.ts";
import { model } from "../resources/index.ts";
import type { Slot } from "./collect.ts";

/** A compiled statement: one column of JSON text a root field. */
export interface Plan {
  text: string;
  getters: Build["getters"];
  /** How often it ran: it becomes a named prepared statement with the third run. */
  uses: number;
}

const MAX_NAMED = 200;
const named = new Set<string>();

/** Compiles the SQL of root fields; `write` gives the SQL of each. */
export function compile(inputs: Inputs, columns: (build: Build) => readonly string[]): Plan {
  const build = newBuild(model, inputs);
  const parts = columns(build).map((sql, at) => `(${sql})::text as "${at}"`);
  return { text: `select ${parts.join(", ")}`, getters: build.getters, uses: 0 };
}

/** The statement of one execution of a plan. */
export function statement(plan: Plan, inputs: Inputs): Statement {
  plan.uses += 1;
  const values = plan.getters.map((get) => get(inputs));
  if (plan.uses < 3) return { text: plan.text, values };
  const name = createHash("sha1").update(plan.text).digest("base64url");
  if (!named.has(name) && named.size >= MAX_NAMED) return { text: plan.text, values };
  named.add(name);
  return { text: plan.text, values, name };
}

/** Coerces the arguments of every field that takes any. @throws GraphQLError for a value of the wrong type. */
export const argumentsOf = (slots: readonly Slot[], variables: Readonly<Record<string, unknown>>) =>
  slots.map(({ definition, node }) => getArgumentValues(definition, node, variables));
