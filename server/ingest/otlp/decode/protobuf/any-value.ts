import { MAX_VALUE_LEVELS, type Value } from "../../model.ts";
import { double, integer, unsigned } from "./numbers.ts";
import { tooDeep } from "./refusals.ts";
import { base64, nameText, text } from "./strings.ts";
import { message, type ReadField, type Wire } from "./wire.ts";

/** Reads a KeyValue into the attributes at hand; one without a value adds nothing. */
export function addAttribute(wire: Wire, into: Map<string, Value>): true {
  const { key, value } = message<Pair>(wire, { key: "", value: undefined }, pairField);
  if (value !== undefined) into.set(key, value);
  return true;
}

interface Pair {
  key: string;
  value: Value | undefined;
}

const pairField: ReadField<Pair> = (tag, pair, wire) => {
  if (tag === 1) pair.key = nameText(wire);
  else if (tag === 2) readValue(wire, pair);
  else return false;
  return true;
};

/** An AnyValue; undefined when it is empty. */
export const readAnyValue = (wire: Wire): Value | undefined => readValue(wire, { value: undefined }).value;

interface Holder {
  value: Value | undefined;
}

/** Reads an AnyValue into what holds it, in place of the one before. */
function readValue<T extends Holder>(wire: Wire, into: T): T {
  wire.level += 1;
  if (wire.level > MAX_VALUE_LEVELS) throw tooDeep();
  into.value = undefined;
  message<Holder>(wire, into, valueField);
  wire.level -= 1;
  return into;
}

const valueField: ReadField<Holder> = (tag, into, wire) => {
  if (tag === 1) into.value = text(wire);
  else if (tag === 2) into.value = unsigned(wire) !== 0;
  else if (tag === 3) into.value = integer(wire);
  else if (tag === 4) into.value = finite(double(wire));
  else if (tag === 5) into.value = message<Value[]>(wire, [], itemField);
  else if (tag === 6) into.value = Object.fromEntries(message<Map<string, Value>>(wire, new Map(), memberField));
  else if (tag === 7) into.value = base64(wire);
  else return false;
  return true;
};

/** JSON has no other way to say what is no number. */
const finite = (value: number): Value => (Number.isFinite(value) ? value : String(value));

const itemField: ReadField<Value[]> = (tag, items, wire) => {
  if (tag !== 1) return false;
  items.push(readAnyValue(wire) ?? null);
  return true;
};

const memberField: ReadField<Map<string, Value>> = (tag, members, wire) => tag === 1 && addAttribute(wire, members);
