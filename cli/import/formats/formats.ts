import type { Format } from "../row.ts";
import { beadsJsonl } from "./beads-jsonl.ts";
import { githubJson } from "./github-json.ts";
import { jiraCsv } from "./jira-csv.ts";
import { jsonl } from "./jsonl.ts";
import { linearCsv } from "./linear-csv.ts";

/** Every format that can be imported: a file of its own, and a place here. */
export const FORMATS: readonly Format[] = [linearCsv, githubJson, jiraCsv, beadsJsonl, jsonl];
