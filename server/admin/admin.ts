import { cli } from "./cli.ts";
import { reach } from "./reach.ts";

/** `npm run admin -- COMMAND` */
await cli(async (config, args) => {
  const operator = await reach(config);
  return operator.command(args).finally(() => operator.close());
});
