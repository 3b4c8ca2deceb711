// Runs once when the server starts, before it answers anything: brings a new installation to life (server/bootstrap.ts).
// Nothing in this app runs on the edge runtime, so there is no other runtime to tell apart.

export async function register(): Promise<void> {
  const { bootstrap } = await import('./server/bootstrap.ts')
  await bootstrap()
}
