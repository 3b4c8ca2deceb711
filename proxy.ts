// Adds the project of a page (decision 32), and a Content-Security-Policy with a fresh nonce. Scripts without the nonce do not run, so
// pages must be rendered per request. API routes and static files are excluded: they contain no markup and must stay fast.
import { type NextRequest, NextResponse } from 'next/server'
import { PROJECT_HEADER, withRequestedProject } from './server/platform/auth/asked-project.ts'
import { isDevelopment } from './server/platform/base/env.ts'
import { PAGE_HEADER } from './server/trpc/page.ts'

function policy(nonce: string, isDev: boolean): string {
  return [
    "default-src 'self'",
    // React's development build evaluates strings to show server stacks; production never does.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDev ? " 'unsafe-eval'" : ''}`,
    // Positioning and virtual lists set style attributes, which cannot have a nonce.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

export function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(crypto.randomUUID())
  const csp = policy(nonce, isDevelopment())
  const sent = new Headers(request.headers)
  // The page's address determines its project, not a header of the client.
  sent.delete(PROJECT_HEADER)
  const headers = withRequestedProject({ url: request.url, headers: sent })
  headers.set(PAGE_HEADER, `${request.nextUrl.pathname}${request.nextUrl.search}`)
  headers.set('x-nonce', nonce)
  // Next reads the nonce for its own inline scripts from this request header.
  headers.set('content-security-policy', csp)
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('content-security-policy', csp)
  // Addresses contain ids and invitations, which other sites must not receive; our own server reads the page's project from the referrer.
  response.headers.set('referrer-policy', 'same-origin')
  return response
}

export const config = {
  // The page at /open is one static file with its own policy.
  matcher: ['/((?!api/|livez$|readyz$|metrics$|_next/static|_next/image|favicon|icon|open$).*)'],
}
