// @ts-check
// `npm run web:types` writes the types with which the web app calls the server. A test compares the files
// with the sources.
import { writeFileSync } from "node:fs";
import { printSchema } from "graphql";
import { routes } from "../server/control/routes.ts";
import { getIntrospectionSchema } from "../server/graphql/schema.ts";
import { consentEndpoints } from "../server/oauth/consent.ts";
import * as documents from "./web-documents.js";
import * as endpoints from "./web-endpoints.js";

writeFileSync(documents.TARGET, await documents.generate(printSchema(getIntrospectionSchema("native"))));
writeFileSync(endpoints.TARGET, await endpoints.generate([...routes, ...consentEndpoints]));
