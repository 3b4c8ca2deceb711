import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { importedSessionId } from '@signalbox/wire'
import { describe, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { ROOT } from '../product-process.ts'
import { DOCUMENT } from './operation-cases.mjs'
import type { ShippedProduct } from './shipped-product.ts'

interface Asked {
  /** Absent: the address of the route. */
  readonly address?: string
  readonly body?: string
  readonly status: number
  readonly contains: string
  /** Status without login; absent: everyone gets the same answer. */
  readonly withoutLogin?: number
}

const JSON_EXPORT = { status: 200, contains: '', withoutLogin: 401 }
const NO_RECORD = { status: 404, contains: '"status":404', withoutLogin: 401 }

const imported = (): string =>
  `${JSON.stringify({
    session: importedSessionId(randomUUID().replaceAll('-', '')),
    seq: 1,
    at: 1_795_000_000_000,
    type: 'note',
    data: { text: 'hi' },
  })}\n`

const EMPTY_EXPORT = {
  export_version: 1,
  project: 'elsewhere',
  exported_at: 1_795_000_000_000,
  environments: [],
  configs: [],
}

const ASKED: Readonly<Record<string, Asked>> = {
  'GET /api/auth/[...all]': {
    address: '/api/auth/get-session',
    status: 404,
    contains: 'nothing at this address',
  },
  'POST /api/auth/[...all]': {
    address: '/api/auth/sign-in/email',
    status: 401,
    contains: 'INVALID',
    body: JSON.stringify({ email: 'stranger@example.test', password: 'not the password' }),
  },
  'GET /api/export/audit': JSON_EXPORT,
  'GET /api/export/configs': { ...JSON_EXPORT, contains: 'release-notes' },
  'GET /api/export/decisions': JSON_EXPORT,
  'GET /api/export/decisions/[id]': { ...NO_RECORD, address: '/api/export/decisions/dec_none' },
  'GET /api/export/feedback': JSON_EXPORT,
  'GET /api/export/sessions': JSON_EXPORT,
  'GET /api/export/sessions/[id]': { ...NO_RECORD, address: '/api/export/sessions/sess_none' },
  'GET /api/export/stops': JSON_EXPORT,
  'GET /api/export/stops/[id]': { ...NO_RECORD, address: '/api/export/stops/stop_none' },
  'POST /api/import/configs': {
    status: 200,
    contains: '"applied":false',
    withoutLogin: 401,
    body: JSON.stringify({ dry_run: true, document: EMPTY_EXPORT }),
  },
  'POST /api/import/sessions/[environment]': {
    address: '/api/import/sessions/dev',
    status: 200,
    contains: '"stored":1',
    body: imported(),
    withoutLogin: 401,
  },
  'GET /api/trpc/[trpc]': {
    address: '/api/trpc/members.me',
    status: 200,
    contains: '"admin"',
    withoutLogin: 401,
  },
  'POST /api/trpc/[trpc]': {
    address: '/api/trpc/members.setup',
    status: 400,
    contains: 'BAD_REQUEST',
    body: '{}',
  },
  'GET /docs/images/[file]': {
    address: '/docs/images/one-call.svg',
    status: 200,
    contains: '<svg',
  },
  'GET /livez': { status: 200, contains: '"ok"' },
  'GET /metrics': { status: 200, contains: 'signalbox_' },
  'GET /open': { status: 200, contains: '<!doctype html>' },
  'GET /packages/[file]': { address: '/packages/other.tgz', status: 404, contains: 'no package' },
  'GET /readyz': { status: 200, contains: '"ok"' },
  'GET /schemas/[file]': {
    address: '/schemas/config-v1.json',
    status: 200,
    contains: '"$schema"',
  },
}

const METHOD = /export (?:const|async function) (GET|POST|PUT|PATCH|DELETE)\b/g

/** The Next route that passes requests to the app. */
const APP = 'api/[...path]/route.ts'

function otherRoutes(): readonly string[] {
  const documented = (address: string): boolean =>
    DOCUMENT.paths[address.replaceAll(/\[(\w+)\]/g, '{$1}')] !== undefined
  const answered = api.routes.map(({ method, path: address }) => ({
    method,
    address: address.replaceAll(/:(\w+)/g, '[$1]'),
  }))
  const files = fs.readdirSync(path.join(ROOT, 'app'), { recursive: true, encoding: 'utf8' })
  const routes = files.filter((file) => path.basename(file) === 'route.ts' && file !== APP)
  const own = routes.flatMap((file) => {
    const text = fs.readFileSync(path.join(ROOT, 'app', file), 'utf8')
    const address = `/${path.dirname(file)}`
    return [...text.matchAll(METHOD)].map(([, method]) => ({ method, address }))
  })
  return [...answered, ...own]
    .filter(({ address }) => !documented(address))
    .map(({ method, address }) => `${method} ${address}`)
}

export function describeOtherRoutes(shipped: () => ShippedProduct): void {
  async function ask(route: string, { address, body }: Asked, cookie: string) {
    const [method = '', ownAddress = ''] = route.split(' ')
    const { url } = shipped()
    const response = await fetch(`${url}${address ?? ownAddress}`, {
      method,
      headers: { origin: url, 'content-type': 'application/json', cookie },
      ...(body === undefined ? {} : { body }),
    })
    return { status: response.status, text: await response.text() }
  }

  describe('routes outside of the OpenAPI document', () => {
    test('every route is requested', () => {
      expect(Object.keys(ASKED).toSorted()).toEqual(otherRoutes().toSorted())
    })

    test.each(Object.entries(ASKED))('%s', async (route, asked) => {
      const { text, status } = await ask(route, asked, shipped().person.cookie)
      expect([status, text.slice(0, 500)]).toEqual([asked.status, text.slice(0, 500)])
      expect(text).toContain(asked.contains)
      if (asked.withoutLogin === undefined) return
      expect((await ask(route, asked, '')).status).toBe(asked.withoutLogin)
    })

    test('/metrics refuses a request that a local proxy forwarded', async () => {
      for (const name of ['x-forwarded-for', 'forwarded']) {
        const { url } = shipped()
        const answer = await fetch(`${url}/metrics`, { headers: { [name]: '127.0.0.1' } })
        expect(answer.status).toBe(401)
      }
    })

    test.each(
      Object.entries({
        '/rollouts': '/releases',
        '/rollouts/rel_1': '/releases/rel_1',
        '/approvals?call=apr_1': '/call-approvals?call=apr_1',
        '/configs/demo/release-notes/cohorts': '/configs/demo/release-notes/staged-rollout',
        '/settings/audit?action=key.created': '/settings/audit-log?action=key.created',
        '/settings/audit/aud_1': '/settings/audit-log/aud_1',
      }),
    )('the former address %s redirects to %s', async (former, address) => {
      const response = await fetch(`${shipped().url}${former}`, { redirect: 'manual' })
      expect(response.status).toBe(308)
      expect(response.headers.get('location')).toBe(address)
    })

    test.each(['.tgz', '.whl'])(
      '/packages serves the file of %s that the build packed',
      async (form) => {
        const folder = path.join(ROOT, 'dist/packages')
        const file = fs.readdirSync(folder).find((name) => name.endsWith(form)) ?? ''
        const response = await fetch(`${shipped().url}/packages/${file}`)
        expect(response.status).toBe(200)
        const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
        const served = new Uint8Array(await response.arrayBuffer())
        expect(digest(served)).toBe(digest(fs.readFileSync(path.join(folder, file))))
      },
    )
  })
}
