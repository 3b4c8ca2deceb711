/** Stands for this server, whatever its name is. */
const HERE = 'http://here.invalid'

/** Else `/`. Parsed like a browser does (tabs dropped, backslash as slash), so that no value redirects to another server. */
export function nextPath(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, HERE)) return '/'
  const { origin, pathname, search, hash } = new URL(next, HERE)
  // A browser would read a path that begins with two slashes as a host.
  return origin === HERE && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/'
}
