export interface Surroundings {
  readonly env: { readonly [name: string]: string | undefined }
  /** Absolute path. */
  readonly cwd: string
  readonly home: string
  /** Absolute paths of the Node.js program and of the file that it runs as `signalbox`. */
  readonly node: string
  readonly entry: string
  /** Aborted when the process is asked to stop. After this call, a signal no longer ends the process at once. */
  readonly stopSignal: () => AbortSignal
  readonly readInput: () => Promise<string>
}
