import type { Moment } from "../../model.ts";
import { malformed } from "./refusals.ts";
import { expect, FIXED64, VARINT, varint, type Wire } from "./wire.ts";

/** An unsigned number below 2^53, such as those of an enumeration. */
export function unsigned(wire: Wire): number {
  expect(wire, VARINT);
  return varint(wire);
}

/** A signed integer; text when a double would change it. */
export function integer(wire: Wire): number | string {
  expect(wire, VARINT);
  const start = wire.pbf.pos;
  const value = varint(wire, true);
  return Number.isSafeInteger(value) ? value : exactInteger(wire.bytes, start);
}

function exactInteger(bytes: Buffer, start: number): string {
  let value = 0n;
  for (let at = 0; at < 10; at += 1) {
    const byte = bytes[start + at] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt(7 * at);
    if (byte < 0x80) break;
  }
  return String(BigInt.asIntN(64, value));
}

/** A double. */
export function double(wire: Wire): number {
  expect(wire, FIXED64);
  if (wire.pbf.pos + 8 > wire.end) throw malformed();
  return wire.pbf.readDouble();
}

/** No moment at all: a field that was not sent. */
export const noMoment: Moment = { ms: 0, nanos: 0 };

/** Nanoseconds since the epoch, which a double would round. */
export function moment(wire: Wire): Moment {
  expect(wire, FIXED64);
  if (wire.pbf.pos + 8 > wire.end) throw malformed();
  const low = wire.pbf.readFixed32();
  const high = wire.pbf.readFixed32();
  const rest = (high % MILLION) * TWO_32 + low;
  return { ms: Math.floor(high / MILLION) * TWO_32 + Math.floor(rest / MILLION), nanos: rest % MILLION };
}

const MILLION = 1_000_000;
const TWO_32 = 2 ** 32;
