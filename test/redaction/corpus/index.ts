import { HELD_OUT, KINDS, type Kind } from "./kinds.ts";
import { BARE, brokenAt, CUT, KUBECTL, OUTPUTS, type Output } from "./outputs.ts";
import { type Random, random } from "./random.ts";

/** One output with one secret in it. */
export interface Sample {
  kind: string;
  output: string;
  isHeldOut: boolean;
  text: string;
  /** The pieces of the secret, as the output spells them: none may remain. */
  pieces: readonly string[];
}

const SEED = 20_260_101;
const SAMPLES_OF_A_KIND = 56;
/** Names that give a secret away, and names that do not: behind those the value has to be known by itself. */
const TELLING = ["SERVICE_TOKEN", "API_KEY", "DEPLOY_SECRET"];
const QUIET = ["UPSTREAM", "SERVICE_VALUE", "REGISTRY"];

/** More than 2,000 planted secrets of forty kinds. The same on every call. */
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

/** A value without a form or a name of its own is known anywhere; only one of a single line is cut. */
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

/** True when nothing of a secret is left: no piece, and no eight characters of one, however they are spelled. */
export function isGone({ pieces }: Sample, redacted: string): boolean {
  const plain = redacted
    .replaceAll(/\\u([0-9a-f]{4})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll("\\/", "/");
  return pieces.every((piece) => {
    for (let at = 0; at + 8 <= piece.length; at += 4) if (plain.includes(piece.slice(at, at + 8))) return false;
    return !plain.includes(piece.slice(-8));
  });
}
