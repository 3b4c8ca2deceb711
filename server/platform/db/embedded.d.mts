export interface EmbeddedDatabase {
  /** Of the database `signalbox`. */
  readonly url: string
  /** The same server, another database. */
  readonly urlFor: (database: string) => string
  /** Of the postmaster; another one after it was started again. */
  readonly pid: number
  /** It ran already, started by somebody else. */
  readonly isAdopted: boolean
  readonly stop: () => Promise<void>
}
export function startEmbedded(options: {
  readonly dataDir: string
  readonly durable?: boolean
  readonly keepRunning?: (line: string) => void
}): Promise<EmbeddedDatabase>
/** Of the database whose data belongs to `dataDir`; null: there is none. */
export function embeddedFolder(dataDir: string): string | null
