// @ts-check
// Imported first by what is started by hand, so that an old Node.js answers in one line. It has to read this itself:
// nothing here is newer than ES modules.

const MAJOR = 20;
const MINOR = 19;

/**
 * What to tell somebody who runs this version of Node.js, such as v18.20.8; nothing when it is new enough.
 * @param {string} version
 * @returns {string | undefined}
 */
export function complaintAbout(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  if (major > MAJOR || (major === MAJOR && minor >= MINOR)) return undefined;
  return `trackway: needs Node.js ${MAJOR}.${MINOR} or newer, and this is ${version}; see https://nodejs.org`;
}

const complaint = complaintAbout(process.version);
if (complaint) {
  process.stderr.write(`${complaint}\n`);
  process.exit(2);
}
