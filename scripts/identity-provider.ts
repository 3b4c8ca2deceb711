import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface Claims {
  readonly sub: string
  /** Absent: the provider does not share it. */
  readonly email?: string | undefined
  readonly email_verified: boolean
  readonly name: string
  /** Absent: no such claim. */
  readonly groups?: unknown
}

export interface IdentityProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  become(person: Claims): void
  /** The person cancels the sign-in from now on. */
  deny(): void
  leaveOutIdTokens(): void
  stop(): Promise<void>
}

const CLIENT = { clientId: 'signalbox', clientSecret: 'oidc-secret-that-must-not-be-logged' }

/** `port`: 0 for any. */
export async function startIdentityProvider(
  callbacks: readonly string[],
  port = 0,
): Promise<IdentityProvider> {
  let person: Claims = { sub: 'nobody', email_verified: false, name: '' }
  let isDenied = false
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve)
  })
  // `listen` on a TCP port, so that the address is never a path.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [...callbacks],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['a test key'] },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...person, sub }) }),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc
      const grant = new provider.Grant({
        clientId: client?.clientId,
        accountId: session?.accountId,
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  let hasIdTokens = true
  provider.use(async (context, next) => {
    await next()
    if (!hasIdTokens && context.path === '/token') {
      const { id_token: _, ...rest } = context.body
      context.body = rest
    }
  })
  const callback = provider.callback()
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) {
      callback(request, response)
      return
    }
    provider
      .interactionFinished(
        request,
        response,
        isDenied ? { error: 'access_denied' } : { login: { accountId: person.sub } },
      )
      .catch(() => response.destroy())
  })
  return {
    ...CLIENT,
    issuer,
    become(next) {
      person = next
      isDenied = false
    },
    deny() {
      isDenied = true
    },
    leaveOutIdTokens() {
      hasIdTokens = false
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
