export interface EmbeddedDatabase {
  /** Address of the database `signalbox`. */
  readonly url: string
  /** Address of another database on the same server. */
  readonly urlFor: (database: string) => string
  /** Process id of the postmaster, which changes when it is restarted. */
  readonly pid: number
  /** Another process started the server, and it was still running. */
  readonly isAdopted: boolean
  readonly stop: () => Promise<void>
}
export function startEmbedded(options: {
  readonly dataDir: string
  readonly durable?: boolean
  readonly keepRunning?: (line: string) => void
}): Promise<EmbeddedDatabase>
/** Folder of the database whose data belongs to `dataDir`; null: there is none. */
export function embeddedFolder(dataDir: string): string | null
