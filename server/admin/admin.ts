import { cli } from "./cli.ts";
import { reach } from "./reach.ts";

/** `npm run admin -- COMMAND` */
await cli(async (config, args) => {
  const operator = await reach(config);
  try {
    return await operator.command(args);
  } finally {
    await operator.close();
  }
});
