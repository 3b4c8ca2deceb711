import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readVariables } from '@/scripts/read-variables.mjs'
import { pages } from '@/scripts/variables-table.mjs'
import { problemsIn, Variables } from './variables.mjs'

function file(content: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-variables-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  fs.writeFileSync(path.join(folder, 'secret'), content)
  return path.join(folder, 'secret')
}

const URL = 'postgresql://signalbox:hunter2@db.example/signalbox'

test('docs/operations/configure.md contains the table of server/platform/base/variables.mjs (write it with node scripts/variables-table.mjs)', () => {
  const { written, wanted } = pages()
  expect(written).toBe(wanted)
})

test('every environment variable that scripts and server read is in the table', () => {
  const foreign =
    /^(NODE_ENV|NEXT_RUNTIME|PATH|HOME|TZ|LANG|CI|XDG_CACHE_HOME|CHROMIUM_PATH|FIREFOX_PATH|INIT_CWD)$|TEST/
  /** Set by one script for another; not for users. */
  const internal = ['SIGNALBOX_BUILD_FOLDER', 'SIGNALBOX_PREFIX', 'SIGNALBOX_DOCUMENTS', 'SOAK']
  const files = ['scripts', 'server']
    .flatMap((folder) =>
      fs
        .readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((name) => `${folder}/${name}`),
    )
    .filter((name) => /\.(mjs|ts)$/.test(name) && !/generated|\.test\.|\/test/.test(name))
  const read = [...files, 'next.config.mjs', 'proxy.ts', 'instrumentation.ts'].flatMap((name) => {
    const text = fs.readFileSync(name, 'utf8')
    return [...text.matchAll(/process\.env(?:\.|\[')([A-Z_]+)/g)].map(([, found = '']) => found)
  })
  const known = Object.keys(Variables.shape)
  const unknown = read.filter(
    (name) => !known.includes(name) && !foreign.test(name) && !internal.includes(name),
  )
  expect([...new Set(unknown)]).toEqual([])
})

const GROUPS = { map: [{ group: 'a', role: 'viewer' }] }

function providersWith(changes: object): { readonly OIDC_PROVIDERS: string } {
  const entry = { id: 'a', label: 'A', issuer: 'https://a.test', client_id: 'a' }
  return { OIDC_PROVIDERS: JSON.stringify([{ ...entry, client_secret: 'hunter2', ...changes }]) }
}

test.each([
  [{ PORT: 'abc' }, 'PORT must be a whole number from 1 to 65535, not "abc".'],
  [{ SIGNALBOX_PROXIES: '10' }, 'SIGNALBOX_PROXIES must be a whole number from 0 to 9, not "10".'],
  [
    { SIGNALBOX_URL: 'example.com' },
    'SIGNALBOX_URL must be an address that begins with http:// or https://, not "example.com".',
  ],
  [
    { DATABASE_URL: 'mysql://me:hunter2@db' },
    'DATABASE_URL must be an address that begins with postgresql://.',
  ],
  [
    { SIGNALBOX_AUTH_SECRET: 'hunter2' },
    'SIGNALBOX_AUTH_SECRET must be at least 32 characters long.',
  ],
  [
    { SIGNALBOX_MAIL_FROM: 'a@example.com' },
    'SIGNALBOX_MAIL_FROM needs SIGNALBOX_SMTP_URL too: set all or none of them.',
  ],
  [
    { SIGNALBOX_WEB_PROCESSES: '0' },
    'SIGNALBOX_WEB_PROCESSES must be a whole number from 1 to 64, not "0".',
  ],
  [
    { SIGNALBOX_WEB_PROCESSES: '9' },
    'SIGNALBOX_WEB_PROCESSES must be at most 8 with the embedded database: set DATABASE_URL for more.',
  ],
  [{ OIDC_PROVIDERS: '{' }, 'OIDC_PROVIDERS must be a JSON list of providers.'],
  [
    providersWith({ groups: { map: [{ group: 'a', role: 'owner' }] } }),
    'OIDC_PROVIDERS: [0].groups.map[0].role: Invalid option: expected one of "viewer"|"editor"|"publisher"|"admin".',
  ],
  [
    providersWith({ groups: { map: [{ group: 'a', role: 'viewer', environments: ['dev'] }] } }),
    'OIDC_PROVIDERS: [0].groups.map[0].environments: belongs to the role publisher only.',
  ],
  [
    providersWith({ groups: { ...GROUPS, without: 'admin' } }),
    'OIDC_PROVIDERS: [0].groups.without: Invalid option: expected one of "refuse"|"viewer"|"editor"|"publisher".',
  ],
  [
    providersWith({ groups: GROUPS, allowed_domains: ['a.test'] }),
    'OIDC_PROVIDERS: [0].allowed_domains: must be absent, because groups decide who may join.',
  ],
  [
    { ...providersWith({ groups: GROUPS }), SIGNALBOX_CELLS: 'b=http://10.0.0.2:3000' },
    'OIDC_PROVIDERS: groups cannot be used with SIGNALBOX_CELLS.',
  ],
  [
    {
      ...providersWith({ id: 'oidc' }),
      ...{ OIDC_ISSUER: 'https://a.test', OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' },
    },
    'OIDC_PROVIDERS: the id oidc is the provider of OIDC_ISSUER: set one of them.',
  ],
])('an invalid variable is reported with one sentence without a secret: %j', (given, sentence) => {
  expect(problemsIn(given)).toEqual([sentence])
})

test('two providers with one id or label are refused', () => {
  const [entry] = JSON.parse(providersWith({}).OIDC_PROVIDERS)
  expect(problemsIn({ OIDC_PROVIDERS: JSON.stringify([entry, entry]) })).toEqual([
    'OIDC_PROVIDERS: [1].id: is the one of another provider, too.',
    'OIDC_PROVIDERS: [1].label: is the one of another provider, too.',
  ])
})

test('an empty variable counts as not set, and all problems are reported together', () => {
  expect(readVariables({ PORT: '', DATABASE_URL: URL, PATH: '/bin' })).toEqual({
    DATABASE_URL: URL,
  })
  expect(() => readVariables({ PORT: '0', SIGNALBOX_JOBS: 'maybe' })).toThrow(
    /^PORT .*\nSIGNALBOX_JOBS .*\.$/,
  )
})

test('NAME_FILE provides the value from a file, for secrets only', () => {
  expect(readVariables({ DATABASE_URL_FILE: file(`${URL}\n`) })).toEqual({ DATABASE_URL: URL })
  expect(readVariables({ PORT_FILE: file('4000') })).toEqual({})
})

test('an unusable NAME_FILE is reported with one sentence', () => {
  expect(() => readVariables({ DATABASE_URL: URL, DATABASE_URL_FILE: file(URL) })).toThrow(
    'DATABASE_URL and DATABASE_URL_FILE are both set: remove one of them.',
  )
  expect(() => readVariables({ DATABASE_URL_FILE: '/nowhere' })).toThrow(
    /^DATABASE_URL_FILE names \/nowhere, which cannot be read: /,
  )
  expect(() => readVariables({ DATABASE_URL_FILE: file('') })).toThrow(/, which is empty\.$/)
})
