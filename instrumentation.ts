// Runs once when the server starts, before it answers anything: notes where requests come from (server/platform/auth/client-address.ts),
// brings a new installation to life (server/bootstrap.ts), hands the HTTP interface to the server in front and begins to work on jobs (server/jobs/runner.ts).

export async function register(): Promise<void> {
  // Next builds this file for its edge runtime too and drops the branch there; the condition must stand here, spelled out.
  if (process.env['NEXT_RUNTIME'] === 'nodejs') {
    const { noteClientAddresses } = await import('./server/platform/auth/client-address.ts')
    noteClientAddresses()
    const [{ env }, { logger }] = await Promise.all([
      import('./server/platform/env.ts'),
      import('./server/platform/observability/log.mjs'),
    ])
    logger.level = env().SIGNALBOX_LOG_LEVEL
    const { bootstrap } = await import('./server/bootstrap.ts')
    await bootstrap()
    const { handOverApi } = await import('./server/http/api.ts')
    handOverApi()
    const { openPageGate } = await import('./server/http/page-gate.ts')
    openPageGate()
    const { startJobs } = await import('./server/jobs/runner.ts')
    startJobs()
  }
}
