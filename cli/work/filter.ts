import { type Command, Option } from "commander";
import { gathered } from "../options.ts";
import type { Worker } from "./caller.ts";
import { findNames } from "./names.ts";

/** The issues that are meant. */
export interface WhichOptions {
  team?: string;
  label?: string[];
}

/** The option that names a team. */
export const teamOption = (description: string): Option => new Option("--team <key>", description).env("TRACKWAY_TEAM");

/** Adds the options that narrow a list of issues. */
export const which = (command: Command): Command =>
  command
    .addOption(teamOption("only of this team"))
    .option("--label <name>", "only with this label; several: the option again", gathered);

/** The filter that they mean, by ids, which the index of ready issues knows. */
export async function filterOf(who: Worker, { team, label = [] }: WhichOptions): Promise<object> {
  const found = await findNames(who, { team, labels: label });
  const ids = [...found.labels.values()];
  return {
    ...(found.team && { team: { id: { eq: found.team.id } } }),
    ...(ids.length > 0 && { and: ids.map((id) => ({ labels: { some: { id: { eq: id } } } })) }),
  };
}
