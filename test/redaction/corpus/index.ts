import { HELD_OUT, KINDS, type Kind } from "./kinds.ts";
import { BARE, brokenAt, CUT, KUBECTL, OUTPUTS, type Output } from "./outputs.ts";
import { type Random, random } from "./random.ts";

/** A tool output with one planted secret. */
export interface Sample {
  kind: string;
  output: string;
  isHeldOut: boolean;
  text: string;
  /** Parts of the secret as the output spells the secret. No part may remain. */
  pieces: readonly string[];
}

const SEED = 20_260_101;
const SAMPLES_OF_A_KIND = 56;
/** Names that reveal a secret, and names that do not. After a quiet name, the value alone must be recognized. */
const TELLING = ["SERVICE_TOKEN", "API_KEY", "DEPLOY_SECRET"];
const QUIET = ["UPSTREAM", "SERVICE_VALUE", "REGISTRY"];

/** Returns more than 2,000 planted secrets of forty kinds. The result is the same on every call. */
export function corpus(): Sample[] {
  const source = random(SEED);
  return KINDS.flatMap((kind) => {
    const outputs = outputsFor(kind);
    return Array.from({ length: SAMPLES_OF_A_KIND }, (_, index) => {
      const [name, output] = outputs[index % outputs.length] as [string, Output];
      return sampleOf(kind, name, output, source);
    });
  });
}

/** Values without a special form or name are recognized in any output. Only values of a single line are cut. */
function outputsFor(kind: Kind): [string, Output][] {
  const general = Object.entries(OUTPUTS);
  if (kind.form) return general;
  if (kind.names) return kind.name === "docker-auth" ? general : [...general, ["kubectl", KUBECTL]];
  if (kind.name === "private-key") return general;
  const short = ["aws-access-key", "gitlab-token"].includes(kind.name);
  return [...general, ...Object.entries(BARE), ...(short ? [] : Object.entries(CUT)), ["kubectl", KUBECTL]];
}

function sampleOf(kind: Kind, output: string, write: Output, source: Random): Sample {
  const value = kind.make(source);
  const form = kind.form?.(source, value);
  const name = source.pick(kind.names ?? (output === "kubectl" ? TELLING : QUIET));
  const whole = form?.text ?? value;
  const text = write({ name, text: whole, isForm: form !== undefined }, source);
  return {
    kind: kind.name,
    output,
    isHeldOut: HELD_OUT.has(kind.name),
    text,
    pieces: piecesOf(kind, output, form?.parts[0] ?? value),
  };
}

function piecesOf(kind: Kind, output: string, value: string): string[] {
  if (output === "kubectl") return [Buffer.from(value).toString("base64")];
  if (output in CUT && output.startsWith("wrapped")) return [value.slice(0, brokenAt()), value.slice(brokenAt())];
  if (kind.name === "private-key") return value.split("\n").slice(1, -1);
  return [value];
}

/**
 * Returns true if the text contains no part of the secret and no eight consecutive characters of a part, in any
 * spelling.
 */
export function isGone({ pieces }: Sample, redacted: string): boolean {
  const plain = redacted
    .replaceAll(/\\u([0-9a-f]{4})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll("\\/", "/");
  return pieces.every((piece) => {
    for (let at = 0; at + 8 <= piece.length; at += 4) if (plain.includes(piece.slice(at, at + 8))) return false;
    return !plain.includes(piece.slice(-8));
  });
}
