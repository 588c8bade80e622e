import { type Command, InvalidArgumentError, Option } from "commander";
import {
  ABSOLUTE_TIME_FORMAT_HELP,
  DAY_FORMAT_HELP,
  FUTURE_TIME_FORMAT_HELP,
  MOMENT_FORMAT_HELP,
  parseAbsoluteTime,
  parseMoment,
  parseRelativeTime,
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

/** Creates a parser for an option whose value is a whole number from `least` to `most`. */
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
export interface MomentOption {
  /** ISO 8601 in UTC. */
  at: string;
  text: string;
  /** True if the text depends on the current time, as `7d` does. */
  isRelative: boolean;
}

/** Parses the time in an option, and also returns the original text. `7d` and `P7D` mean seven days before now. */
export function parseMomentOption(text: string): MomentOption {
  const at = parseMoment(text, new Date(), "back");
  if (!at) throw noTime(MOMENT_FORMAT_HELP);
  return { at: at.toISOString(), text, isRelative: parseAbsoluteTime(text) === undefined };
}

export const parseTimeOption = (text: string): string => parseMomentOption(text).at;

/** Parses a time in the future for an option, such as `12h`. */
export function parseFutureOption(text: string): string {
  const at = text.startsWith("-") ? undefined : parseRelativeTime(text, new Date(), "ahead");
  if (!at) throw noTime(FUTURE_TIME_FORMAT_HELP);
  return at.toISOString();
}

/** Parses an option that is a day or `none`. `7d` and `P7D` mean seven days after today. */
export function parseDayOption(text: string): string {
  if (text === "none") return text;
  const at = text.includes(":") ? undefined : parseMoment(text, new Date(), "ahead");
  if (!at) throw noTime(`${DAY_FORMAT_HELP}, or none`);
  return at.toISOString().slice(0, 10);
}

/** Parses a time that does not depend on the clock, for an option. */
export function parseAbsoluteTimeOption(text: string): string {
  const at = parseAbsoluteTime(text);
  if (!at) throw noTime(ABSOLUTE_TIME_FORMAT_HELP);
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
