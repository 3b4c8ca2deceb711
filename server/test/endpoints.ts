import fs from 'node:fs'
import path from 'node:path'
import { api } from '@/server/http/api.ts'
import { KEY_SCOPES, type KeyScopeName } from '@/server/platform/auth/key-scopes.kinds.ts'
import { database } from '@/server/platform/db/client.ts'
import { makeKey } from './installation.ts'
import type { Tenant } from './tenant.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const APP = 'api/[...path]/route.ts'
const PARAMETER = /\[(?:\.\.\.)?(\w+)\]/g
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type Params = Readonly<Record<string, string>>

type Context = { readonly params: Promise<Params> | undefined }

export interface Endpoint {
  /** `GET /api/health`; parameters as `[id]` or `[...all]`. */
  readonly name: string
  readonly method: string
  readonly handler: (request: Request, context: Context) => Response | Promise<Response>
}

export async function allEndpoints(): Promise<readonly Endpoint[]> {
  const found: Endpoint[] = api.routes.map(({ method, path: address }) => ({
    method,
    name: `${method} ${address.replaceAll(/:(\w+)/g, '[$1]')}`,
    handler: (request) => api.fetch(request),
  }))
  const files = fs.readdirSync(path.join(ROOT, 'app'), { recursive: true, encoding: 'utf8' })
  const routes = files.filter((one) => path.basename(one) === 'route.ts' && one !== APP)
  for (const file of routes.toSorted()) {
    const module: Record<string, unknown> = await import(path.join(ROOT, 'app', file))
    for (const method of METHODS) {
      if (typeof module[method] !== 'function') continue
      const name = `${method} /${path.dirname(file).split(path.sep).join('/')}`
      // Next calls handlers of this form.
      found.push({ name, method, handler: module[method] as Endpoint['handler'] })
    }
  }
  return found
}

/** Sends the request to the endpoint's address with these parameters, and hands over what Next does: `undefined` where the address has none. */
export async function callEndpoint(
  { name, handler }: Endpoint,
  request: Request,
  values: Params,
): Promise<Response> {
  const names = [...name.matchAll(PARAMETER)].map(([, one = '']) => one)
  const [, address = ''] = name.split(' ')
  const url = new URL(request.url)
  url.pathname = address.replaceAll(PARAMETER, (_, one) => encodeURIComponent(values[one] ?? ''))
  const params = Object.fromEntries(names.map((one) => [one, values[one] ?? '']))
  const context = { params: names.length === 0 ? undefined : Promise.resolve(params) }
  return await handler(new Request(url, request), context)
}

export function unusedHandlers(): readonly string[] {
  const read = (file: string): string => fs.readFileSync(file, 'utf8')
  const listed = (folder: string) =>
    fs.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  const routes = listed('app').filter((file) => path.basename(file) === 'route.ts')
  const mounted = [...routes.map((file) => `app/${file}`), 'server/http/api.ts']
  const used = mounted.map((file) => read(path.join(ROOT, file))).join('\n')
  const handlers = listed('server/http')
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [
      ...read(path.join(ROOT, 'server/http', file)).matchAll(
        /export (?:async )?function ((?:get|post|put|patch|delete|handle)[A-Z]\w*)/g,
      ),
    ])
    .map(([, name = '']) => name)
  return handlers.filter((name) => !used.includes(name))
}

export interface KeyCaller {
  readonly name: string
  readonly headers: Headers
  /** Null: no key that is known and in force. */
  readonly key: {
    readonly tenant: Tenant
    readonly environment: string
    readonly scope: KeyScopeName
  } | null
}

const ENVIRONMENTS = ['dev', 'staging']

const BAD_KEYS = ['no key', 'a malformed key', 'an unknown key', 'a key with another end'] as const
const DEAD_KEYS = ['an expired key', 'a revoked key'] as const
const LOGIN = 'a login'

export const KEY_CALLERS =
  2 * ENVIRONMENTS.length * KEY_SCOPES.length + BAD_KEYS.length + DEAD_KEYS.length + 1

const bearer = (key: string): Headers => new Headers({ authorization: `Bearer ${key}` })

async function deadKey({ project }: Tenant, data: object): Promise<Headers> {
  const key = await makeKey(project, { scopes: KEY_SCOPES })
  await database().prisma.apiKey.update({ where: { prefix: key.slice(0, 12) }, data })
  return bearer(key)
}

export async function keyCallers(first: Tenant, second: Tenant): Promise<readonly KeyCaller[]> {
  const callers: KeyCaller[] = []
  for (const tenant of [first, second]) {
    for (const environment of ENVIRONMENTS) {
      for (const scope of KEY_SCOPES) {
        const secret = await makeKey(tenant.project, { environment, scopes: [scope] })
        const name = `a key of ${tenant.mark} ${environment} for ${scope}`
        callers.push({ name, headers: bearer(secret), key: { tenant, environment, scope } })
      }
    }
  }
  const whole = await makeKey(first.project, { scopes: KEY_SCOPES })
  const bad = {
    'no key': new Headers(),
    'a malformed key': bearer('sbx_short'),
    'an unknown key': bearer(`sbx_00000000_${'A'.repeat(43)}`),
    'a key with another end': bearer(`${whole.slice(0, -1)}${whole.endsWith('A') ? 'B' : 'A'}`),
    'an expired key': await deadKey(first, { expiresAt: new Date(Date.now() - 1) }),
    'a revoked key': await deadKey(first, { revokedAt: new Date() }),
    [LOGIN]: first.people.admin.headers,
  } satisfies Record<string, Headers>
  for (const [name, headers] of Object.entries(bad)) callers.push({ name, headers, key: null })
  return callers
}
