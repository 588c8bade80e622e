// @ts-check
// Programs that users start import this file first, so that an old Node.js prints one line of advice. An old Node.js
// must be able to parse this file, so the file uses no syntax newer than ES modules.

const MAJOR = 20;
const MINOR = 19;

/**
 * Returns the message for an unsupported version of Node.js such as v18.20.8; undefined for a supported version.
 * @param {string} version
 * @returns {string | undefined}
 */
export function explainUnsupportedVersion(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  if (major > MAJOR || (major === MAJOR && minor >= MINOR)) return undefined;
  return `trackway: needs Node.js ${MAJOR}.${MINOR} or newer, and this is ${version}; see https://nodejs.org`;
}

const complaint = explainUnsupportedVersion(process.version);
if (complaint) {
  process.stderr.write(`${complaint}\n`);
  process.exit(2);
}
