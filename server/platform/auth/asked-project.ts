// A named project grants no access: the gate checks the membership (decision 32).

/** Holds the slug. proxy.ts sets it for pages, the console's client for calls. */
export const PROJECT_HEADER = 'x-signalbox-project'

const SLUG = /^[a-z0-9][a-z0-9_-]{0,62}$/

const parseSlug = (text: string | null): string | null =>
  text !== null && SLUG.test(text) ? text : null

/** Slug of the page that sent the request; null: a page of another site. */
function readPageSlug(headers: Headers, host: string): string | null {
  const referer = headers.get('referer')
  if (referer === null || !URL.canParse(referer)) return null
  const page = new URL(referer)
  // Compares only the host: a proxy in front may use https while this process sees http.
  return page.host === host ? parseSlug(page.searchParams.get('project')) : null
}

/** Null: the request names none. */
export function readRequestedProject({
  url,
  headers,
}: Pick<Request, 'url' | 'headers'>): string | null {
  const { searchParams, host } = new URL(url)
  return (
    parseSlug(searchParams.get('project')) ??
    parseSlug(headers.get(PROJECT_HEADER)) ??
    readPageSlug(headers, headers.get('host') ?? host)
  )
}

export function withRequestedProject(request: Pick<Request, 'url' | 'headers'>): Headers {
  const headers = new Headers(request.headers)
  const slug = readRequestedProject(request)
  if (slug === null) headers.delete(PROJECT_HEADER)
  else headers.set(PROJECT_HEADER, slug)
  return headers
}
