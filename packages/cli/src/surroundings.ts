// Surroundings of a command: environment, user and signals of the process. Tests pass their own.

export interface Surroundings {
  readonly env: { readonly [name: string]: string | undefined }
  /** Absolute. */
  readonly cwd: string
  /** The user's home folder. */
  readonly home: string
  /** The Node.js program and the file that it runs as `signalbox`, absolute. */
  readonly node: string
  readonly entry: string
  /** Aborted when the process is asked to stop; from this call on, the request does not end it immediately. */
  readonly stopSignal: () => AbortSignal
  /** Reads all of standard input. */
  readonly readInput: () => Promise<string>
}
