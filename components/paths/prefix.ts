// The path below which this build is served, for addresses that do not go through the router, which adds it to links and removes it from
// `usePathname` automatically.

/** `/guard`, for example; empty: the whole host is ours. The build writes it here (next.config.mjs). */
// biome-ignore lint/style/noProcessEnv: the build replaces it by a text
const PREFIX = process.env['SIGNALBOX_PREFIX'] ?? ''

/** The path of a page or route as the browser asks for it. */
export function withPrefix(path: string): string {
  // Next redirects `/guard/` to `/guard`.
  return PREFIX === '' ? path : `${PREFIX}${path.replace(/^\/(?=[?#]|$)/, '')}`
}

/** The path of a page as routes name it, from the one in an address or in a link of the document. */
export function withoutPrefix(path: string): string {
  const rest = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : path
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Address of this server as the browser found it, with its prefix. */
export function serverAddress(): string {
  return `${window.location.origin}${PREFIX}`
}
