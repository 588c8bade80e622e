import type { ClientBase, Connection } from "pg";

/**
 * Sends `message`, a CopyData message, to a COPY … FROM STDIN statement. Never call it on the embedded engine, which COPY ends.
 * It speaks the driver's own interface for queries, so it takes its turn among them and has their time-out.
 */
export const copyIn = (client: ClientBase, statement: string, message: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    let failure: Error | undefined;
    const query = {
      // The driver wraps it to stop its timer, hence a member.
      callback(error?: Error) {
        if (error) reject(error);
        else resolve();
      },
      submit(connection: CopyConnection) {
        connection.query(statement);
      },
      handleCopyInResponse(connection: CopyConnection) {
        connection.stream.write(message);
        connection.endCopyFrom();
      },
      handleError(error: Error) {
        failure = error;
        query.callback(error);
      },
      handleCommandComplete() {},
      handleReadyForQuery() {
        query.callback(failure);
      },
    };
    client.query(query as unknown as { submit(connection: Connection): void });
  });

interface CopyConnection {
  query(text: string): void;
  stream: { write(bytes: Buffer): void };
  endCopyFrom(): void;
}
