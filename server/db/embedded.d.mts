export interface EmbeddedDatabase {
  /** Of the database `signalbox`. */
  readonly url: string
  /** The same server, another database. */
  readonly urlFor: (database: string) => string
  readonly pid: number
  readonly stop: () => Promise<void>
}
export function startEmbedded(options: {
  readonly dataDir: string
  readonly durable?: boolean
}): Promise<EmbeddedDatabase>
