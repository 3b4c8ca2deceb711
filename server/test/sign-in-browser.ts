import { handleAuth } from '@/server/http/auth.ts'
import { createContext } from '@/server/platform/trpc/context.ts'
import { createCaller } from '@/server/trpc/root.ts'

export const ORIGIN = 'http://127.0.0.1:3000'
let browsers = 0

/** Follows redirects between the server and identity providers with cookies, as a browser does. */
export class SignInBrowser {
  readonly #jars = new Map<string, Map<string, string>>()

  cookies(host: string): string {
    return [...(this.#jars.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async ask(url: URL, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    const { host, origin } = url
    if (this.cookies(host) !== '') headers.set('cookie', this.cookies(host))
    const request = new Request(url, { ...init, headers, redirect: 'manual' })
    const response = origin === ORIGIN ? await handleAuth(request) : await fetch(request)
    const jar = this.#jars.get(host) ?? new Map<string, string>()
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const cut = pair.indexOf('=')
      jar.set(pair.slice(0, cut), pair.slice(cut + 1))
    }
    this.#jars.set(host, jar)
    return response
  }

  async follow(from: string): Promise<URL> {
    let url = new URL(from)
    for (let steps = 0; steps < 20; steps++) {
      if (url.origin === ORIGIN && !url.pathname.startsWith('/api/')) return url
      const response = await this.ask(url)
      const location = response.headers.get('location')
      if (location === null)
        throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
      url = new URL(location, url)
    }
    throw new Error('It goes round and round.')
  }

  /** Returns the provider's address. */
  async start(path = '/sign-in/social', provider = 'oidc'): Promise<string> {
    const sent = JSON.stringify({
      provider,
      callbackURL: '/',
      errorCallbackURL: '/login',
      disableRedirect: true,
    })
    const headers = {
      'content-type': 'application/json',
      'content-length': String(sent.length),
      origin: ORIGIN,
      'x-forwarded-for': `10.1.0.${++browsers}`,
    }
    const url = new URL(`${ORIGIN}/api/auth${path}`)
    const response = await this.ask(url, { method: 'POST', headers, body: sent })
    const body: { readonly url?: string } = await response.json()
    if (body.url === undefined) throw new Error(`No address: ${JSON.stringify(body)}`)
    return body.url
  }

  signedInAs(headers: Headers): void {
    const jar = new Map<string, string>()
    for (const pair of (headers.get('cookie') ?? '').split('; ')) {
      const cut = pair.indexOf('=')
      jar.set(pair.slice(0, cut), pair.slice(cut + 1))
    }
    this.#jars.set('127.0.0.1:3000', jar)
  }

  caller() {
    return createCaller(createContext(new Headers({ cookie: this.cookies('127.0.0.1:3000') })))
  }
}
