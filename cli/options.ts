import { type Command, InvalidArgumentError, Option } from "commander";
import { readOwn } from "../formats/own.ts";

/** Options of every command that prints an answer. */
export interface Answering {
  json?: true;
}

/** Options of every command that lists. */
export interface Paged extends Answering {
  limit: number;
  after?: string;
}

/** A whole number between two others, as the value of an option. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
  };

/** A value of an option that may be given several times. */
export const gathered = (value: string, before: string[] = []): string[] => [...before, value];

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a moment, as a date or as how long ago it is, for an option. */
export function moment(text: string): string {
  const [, count, unit = ""] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const then = count ? Date.now() - Number(count) * (readOwn(UNITS, unit) ?? 0) : Date.parse(text);
  if (Number.isNaN(then))
    throw new InvalidArgumentError("It is a date such as 2026-01-31, or how long ago: 45m, 12h, 7d.");
  return new Date(then).toISOString();
}

/** Reads how long from now a moment is, for an option. */
export function ahead(text: string): string {
  const [, count, unit = ""] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  if (!count) throw new InvalidArgumentError("It is how long from now: 45m, 12h, 7d.");
  return new Date(Date.now() + Number(count) * (readOwn(UNITS, unit) ?? 0)).toISOString();
}

/** Reads a day, or none, for an option. */
export function day(text: string): string {
  if (text === "none" || (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)))) return text;
  throw new InvalidArgumentError("It is a day such as 2026-01-31, or none.");
}

/** Reads a moment by its date, for an option. */
export function date(text: string): string {
  const then = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(then)) throw new InvalidArgumentError("It is a date such as 2026-01-31.");
  return new Date(then).toISOString();
}

/** Adds the options of a list. */
export const paged = (command: Command, most = 100): Command =>
  command
    .addOption(
      new Option("--limit <n>", `how many, 1 to ${most}`).argParser(wholeNumber(1, most)).default(Math.min(25, most)),
    )
    .option("--after <cursor>", "go on behind this cursor, which the page before ended with");

/** Adds the option of JSON. */
export const withJson = (command: Command): Command =>
  command.option("--json", "answer one line of JSON, as docs/cli.md describes");

/** The most that a fence can be, an Int of GraphQL. */
const MOST_FENCE = 2_147_483_647;

/** Adds the options of what may be done to an issue that is held. */
export const fenced = (command: Command): Command =>
  command
    .addOption(
      new Option("--fence <n>", "the fence that the claim returned; remembered on this machine unless given").argParser(
        wholeNumber(0, MOST_FENCE),
      ),
    )
    .addOption(new Option("--force", "without a fence, whoever holds the issue").conflicts("fence"));

/** The options of such a command. */
export interface Fenced extends Answering {
  fence?: number;
  force?: true;
}
