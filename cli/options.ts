import { type Command, InvalidArgumentError, Option } from "commander";
import {
  ABSOLUTE_FORMS,
  AHEAD_FORMS,
  DAY_FORMS,
  MOMENT_FORMS,
  parseAbsolute,
  parseMoment,
  parseRelative,
} from "../formats/moments.ts";

/** Options of every command with output. */
export interface OutputOptions {
  json?: true;
}

/** Options of every command that lists. */
export interface PageOptions extends OutputOptions {
  limit: number;
  after?: string;
}

/** Parses a whole number within limits, for an option. */
export const createNumberParser =
  (least: number, most: number) =>
  (text: string): number => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };

/** Collects the values of a repeatable option. */
export const collectValues = (value: string, before: string[] = []): string[] => [...before, value];

const noTime = (forms: string) => new InvalidArgumentError(`Use ${forms}.`);

/** A point in time from an option. */
export interface Moment {
  /** ISO 8601 in UTC. */
  at: string;
  text: string;
  /** True if the text means another time when it is read later. */
  isRelative: boolean;
}

/** Parses a time for an option, and keeps the text. `7d` and `P7D` count back from now. */
export function parseMomentOption(text: string): Moment {
  const at = parseMoment(text, new Date(), "back");
  if (!at) throw noTime(MOMENT_FORMS);
  return { at: at.toISOString(), text, isRelative: parseAbsolute(text) === undefined };
}

export const parseTimeOption = (text: string): string => parseMomentOption(text).at;

/** Parses a time in the future for an option, such as `12h`. */
export function parseFutureOption(text: string): string {
  const at = text.startsWith("-") ? undefined : parseRelative(text, new Date(), "ahead");
  if (!at) throw noTime(AHEAD_FORMS);
  return at.toISOString();
}

/** Parses a day or `none` for an option. `7d` and `P7D` count ahead from today. */
export function parseDayOption(text: string): string {
  if (text === "none") return text;
  const at = text.includes(":") ? undefined : parseMoment(text, new Date(), "ahead");
  if (!at) throw noTime(`${DAY_FORMS}, or none`);
  return at.toISOString().slice(0, 10);
}

/** Parses a time that does not depend on the clock, for an option. */
export function parseAbsoluteOption(text: string): string {
  const at = parseAbsolute(text);
  if (!at) throw noTime(ABSOLUTE_FORMS);
  return at.toISOString();
}

export const addPageOptions = (command: Command, most = 100): Command =>
  command
    .addOption(
      new Option("--limit <n>", `maximum number of rows, 1 to ${most}`)
        .argParser(createNumberParser(1, most))
        .default(Math.min(25, most)),
    )
    .option("--after <cursor>", "continue after this cursor of the previous page");

export const addJsonOption = (command: Command): Command =>
  command.option("--json", "print one line of JSON, described in docs/cli.md");

/** Maximum value of a fence, which is an Int of GraphQL. */
const MOST_FENCE = 2_147_483_647;

/** Adds the options for changes to a claimed issue. */
export const addFenceOptions = (command: Command): Command =>
  command
    .addOption(
      new Option("--fence <n>", "fence of your claim; default: the fence stored on this machine").argParser(
        createNumberParser(0, MOST_FENCE),
      ),
    )
    .addOption(
      new Option("--force", "write without a fence, even if somebody else has claimed the issue").conflicts("fence"),
    );

/** Values of the fence options. */
export interface FenceOptions extends OutputOptions {
  fence?: number;
  force?: true;
}
