export { controlDoor } from "./door.ts";
