const { availableParallelism } = require("node:os");

module.exports = {
  "node-option": ["import=tsx/esm"],
  timeout: 20_000,
  require: ["test/support/hooks.ts"],
  parallel: true,
  // Many tests wait, for processes to start and for clocks: two at once pay even on one core.
  jobs: Math.max(2, availableParallelism()),
};
