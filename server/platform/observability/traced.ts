// Spans of the server's own steps. tracing.mjs, which imports OpenTelemetry, is loaded only if a collector is configured.

export interface Tracing {
  readonly noteRequest: (request: {
    readonly method: string
    readonly route: string
    readonly requestId: string
  }) => void
  readonly run: <Result>(
    name: string,
    attributes: Readonly<Record<string, string | number>>,
    work: () => Promise<Result>,
  ) => Promise<Result>
  /** Sends the last spans. Never rejects. */
  readonly end: () => Promise<void>
}

/** Runs `work` in a span if tracing is on. tracing.mjs lists the `attributes`, which contain no content. */
export const traced: Tracing['run'] = (name, attributes, work) => {
  const { signalboxTracing } = globalThis as { readonly signalboxTracing?: Tracing }
  return signalboxTracing === undefined ? work() : signalboxTracing.run(name, attributes, work)
}
