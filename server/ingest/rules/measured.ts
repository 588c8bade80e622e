import { GEN_AI, type GenAiColumn, MOST } from "../../resources/recorded/told.ts";
import type { Measured } from "../tuple/index.ts";

const NAMES = Object.entries(GEN_AI) as [GenAiColumn, string][];
const NANO = 1e9;

/** Model, tokens and cost that metadata carries under their GenAI names; null without any. Reads them as SQL does. */
export function measuredIn(metadata: Readonly<Record<string, unknown>>): Measured | null {
  const measured: Record<string, unknown> = {};
  for (const [name, key] of NAMES) {
    const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    if (name === "model" ? typeof value === "string" && value !== "" : isCount(value))
      measured[name] = stored(name, value);
  }
  return Object.keys(measured).length > 0 ? measured : null;
}

const isCount = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= MOST;

function stored(name: GenAiColumn, value: unknown): unknown {
  if (typeof value !== "number") return value;
  return Math.round(name === "cost" ? value * NANO : value);
}
