/** The reason why it is not known who wrote some lines, where finding out would take too much. */
export class Unknown extends Error {}
