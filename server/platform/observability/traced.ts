// Spans of the server's own steps. tracing.mjs, which knows OpenTelemetry, is loaded only where a collector is configured.

export interface Tracing {
  /** Names the span of the request that is being answered. */
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

/** Runs `work` in a span where the server is traced. `attributes` are listed in tracing.mjs and hold no content. */
export const traced: Tracing['run'] = (name, attributes, work) => {
  const { signalboxTracing } = globalThis as { readonly signalboxTracing?: Tracing }
  return signalboxTracing === undefined ? work() : signalboxTracing.run(name, attributes, work)
}
