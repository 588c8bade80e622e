import { agents } from "../../agents/index.ts";

const HEADS = agents.flatMap(({ changingHead = [] }) => changingHead).join("|");

/**
 * SQL for the result of a call in the form for comparing calls. Removes the head in which an agent numbers and times a
 * finished command, because the head always differs. The head of a running command stays, because waiting for a
 * command is not a loop.
 */
export const comparedResultSql = (alias: string): string =>
  `rtrim(regexp_replace(${alias}.result, '${HEADS}', ''), E'\\n')`;
