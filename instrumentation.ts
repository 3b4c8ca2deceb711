// Runs once when the server starts, before it answers: configures client addresses (server/platform/auth/client-address.ts), initializes a
// new installation (server/bootstrap.ts), passes the HTTP interface to scripts/serve.mjs, and starts the jobs (server/jobs/runner.ts) and
// the reader of the event log (server/event-log/log-reader.ts). Where several web processes share a port, scripts/serve.mjs waits for its
// end.

export async function register(): Promise<void> {
  // Next also builds this file for its edge runtime and drops the branch there, which requires the literal condition.
  if (process.env['NEXT_RUNTIME'] === 'nodejs') {
    // The cast only adds an optional property of our own name.
    const holder = globalThis as { signalboxStarted?: Promise<void> }
    holder.signalboxStarted = (async () => {
      const { recordClientAddresses } = await import('./server/platform/auth/client-address.ts')
      recordClientAddresses()
      const [{ env }, { logger }] = await Promise.all([
        import('./server/platform/base/env.ts'),
        import('./server/platform/observability/log.mjs'),
      ])
      logger.level = env().SIGNALBOX_LOG_LEVEL
      const { bootstrap } = await import('./server/bootstrap.ts')
      await bootstrap()
      const { registerListener } = await import('./server/http/node-listener.ts')
      registerListener()
      const { openPageGate } = await import('./server/http/page-gate.ts')
      openPageGate()
      const { openCells } = await import('./server/http/find-cell.ts')
      openCells()
      const { startJobs } = await import('./server/jobs/runner.ts')
      startJobs()
      const { startLogReader } = await import('./server/event-log/log-reader.ts')
      startLogReader()
    })()
    await holder.signalboxStarted
  }
}
