import { AppError } from "../../../../errors.ts";
import type { Moment, Value } from "../../model.ts";

/**
 * An id of so many bytes in lower-case hex: OTLP writes hex, whatever follows protobuf's own mapping to JSON writes base64.
 * Any other text is no id, and empty.
 */
export function hexId(value: unknown, bytes: number, path: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") throw wrong(path, "a string in hex");
  if (value.length === 2 * bytes && /^[0-9a-f]+$/i.test(value)) return value.toLowerCase();
  const decoded = value.length === 4 * Math.ceil(bytes / 3) ? Buffer.from(value, "base64") : undefined;
  return decoded?.length === bytes ? decoded.toString("hex") : "";
}

/** Nanoseconds since the epoch, as text or as a number, which is right to the microsecond. */
export function momentOf(value: unknown, path: string): Moment {
  if (typeof value === "number" && value >= 0 && value < 2 ** 64) {
    const micros = Math.round(value / 1_000);
    return { ms: Math.floor(micros / 1_000), nanos: (micros % 1_000) * 1_000 };
  }
  const digits = value ?? "0";
  if (typeof digits !== "string" || !/^\d{1,20}$/.test(digits)) throw wrong(path, "nanoseconds since 1970");
  return { ms: Number(digits.slice(0, -6)), nanos: Number(digits.slice(-6)) };
}

/** A number, sent as one or as text; integers a double would change stay text, as does what is no finite number. */
export function numberOf(value: unknown, path: string): Value {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "string") throw wrong(path, "a number");
  if (/^-?\d{1,20}$/.test(value)) return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return value;
  const number = value.trim() === "" ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) throw wrong(path, "a number");
  return number;
}

const wrong = (path: string, what: string) => new AppError("input", `${path} must be ${what}`, { tag: "invalid_json" });
