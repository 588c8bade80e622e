import { cli } from "./cli.ts";
import { distribute } from "./distribute.ts";
import { reach } from "./reach.ts";

/** `npm run admin -- COMMAND` */
await cli(async (config, args) => {
  // It works beneath what every other command opens: a database that is half distributed does not open.
  if (args[0] === "distribute") return distribute(config, args.slice(1));
  const operator = await reach(config);
  try {
    return await operator.command(args);
  } finally {
    await operator.close();
  }
});
