import type { ClientBase, Connection } from "pg";

/**
 * Sends statements, among them COPY … FROM STDIN, and right behind them its data: a CopyData message. Of several COPYs each
 * but the last has a CopyDone behind its own. PostgreSQL ignores the data when a statement before it failed. Never call it on the embedded engine, which COPY ends.
 * It speaks the driver's own interface for queries, so it is queued among them and has their time-out.
 */
export const copyIn = (client: ClientBase, statements: string, message: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    let failure: Error | undefined;
    const query = {
      // The driver wraps it to stop its timer, hence a member.
      callback(error?: Error) {
        if (error) reject(error);
        else resolve();
      },
      submit(connection: CopyConnection) {
        connection.stream.cork();
        connection.query(statements);
        connection.stream.write(message);
        connection.endCopyFrom();
        connection.stream.uncork();
      },
      handleError(error: Error) {
        failure = error;
        query.callback(error);
      },
      handleReadyForQuery() {
        query.callback(failure);
      },
      handleCopyInResponse() {},
      handleRowDescription() {},
      handleDataRow() {},
      handleCommandComplete() {},
    };
    client.query(query as unknown as { submit(connection: Connection): void });
  });

interface CopyConnection {
  query(text: string): void;
  stream: { cork(): void; uncork(): void; write(bytes: Buffer): void };
  endCopyFrom(): void;
}
