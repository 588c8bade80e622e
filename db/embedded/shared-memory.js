// @ts-check

/** @type {any} Node has it, its types do not. */
const { WebAssembly } = globalThis;

/** Numbers of the WebAssembly binary format. */
const IMPORT_SECTION = 2;
const [FUNCTION, TABLE, MEMORY, GLOBAL] = [0, 1, 2, 3];
const [HAS_MAXIMUM, SHARED] = [1, 2];
/** Bytes of a module's header: magic number and version. */
const HEADER_BYTES = 8;
/**
 * Pages of 64 KB: the maximum of the format, and the initial and maximum size that PGlite requests for the engine's
 * memory.
 */
const [MOST_PAGES, INITIAL_PAGES, MAXIMUM_PAGES] = [65_536, 2_048, 32_768];

/**
 * Creates a memory that other threads can write, and makes the current thread compile every module for a memory of this
 * kind. During a statement, the engine reads nothing outside its memory, and PostgreSQL cancels a statement through a
 * flag in memory. A running statement can therefore be cancelled only with shared memory. PGlite's modules declare
 * unshared memory; only the declaration is changed.
 */
export function createSharedMemory() {
  const { Module, compile, instantiate } = WebAssembly;
  WebAssembly.Module = new Proxy(Module, { construct: (target, [bytes]) => new target(declareShared(bytes)) });
  WebAssembly.compile = (/** @type {any} */ bytes) => compile(declareShared(bytes));
  WebAssembly.instantiate = (/** @type {any} */ source, /** @type {object} */ imports) =>
    instantiate(source instanceof Module ? source : declareShared(source), imports);
  return new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAXIMUM_PAGES, shared: true });
}

/** Returns a module with its memory declared as shared. @param {ArrayBuffer | Uint8Array} source */
function declareShared(source) {
  const bytes = ArrayBuffer.isView(source)
    ? Buffer.from(source.buffer, source.byteOffset, source.byteLength)
    : Buffer.from(source);
  const found = findMemory(bytes);
  if (!found) return bytes;
  const { section, content, limits, end, initial, most = MOST_PAGES, length } = found;
  const declared = Buffer.from([HAS_MAXIMUM | SHARED, ...leb(initial), ...leb(most)]);
  const size = Buffer.from(leb(length + declared.length - (end - limits)));
  return Buffer.concat([
    bytes.subarray(0, section),
    size,
    bytes.subarray(content, limits),
    declared,
    bytes.subarray(end),
  ]);
}

/**
 * Finds the declaration of a module's imported memory. Returns undefined if the module imports no memory.
 * @param {Buffer} bytes
 */
function findMemory(bytes) {
  const from = reader(bytes);
  while (from.at() < bytes.length) {
    const id = from.byte();
    const section = from.at();
    const length = from.number();
    const content = from.at();
    if (id !== IMPORT_SECTION) from.skip(length);
    else {
      const memory = findImport(from);
      return memory && { section, content, length, ...memory };
    }
  }
  return undefined;
}

/** @param {ReturnType<typeof reader>} from */
function findImport(from) {
  for (let left = from.number(); left > 0; left -= 1) {
    from.skip(from.number());
    from.skip(from.number());
    const kind = from.byte();
    const limits = from.at();
    if (kind === MEMORY) return { limits, ...from.limits(), end: from.at() };
    if (kind === FUNCTION) from.number();
    else if (kind === GLOBAL) from.skip(2);
    else if (kind === TABLE) {
      from.skip(1);
      from.limits();
    } else return undefined;
  }
  return undefined;
}

/** @param {Buffer} bytes */
function reader(bytes) {
  let at = HEADER_BYTES;
  const byte = () => bytes.readUInt8(at++);
  const number = () => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const next = byte();
      value |= (next & 0x7f) << shift;
      if (next < 0x80) return value >>> 0;
    }
  };
  return {
    at: () => at,
    byte,
    number,
    skip(/** @type {number} */ count) {
      at += count;
    },
    limits() {
      const flags = byte();
      return { initial: number(), most: flags & HAS_MAXIMUM ? number() : undefined };
    },
  };
}

/** @param {number} value @returns {number[]} the number in LEB128, the format of whole numbers */
const leb = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)]);
