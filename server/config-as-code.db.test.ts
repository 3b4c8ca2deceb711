// The `signalbox` command against the real server over HTTP: a folder of files, a build, gates, adoption
// (specs/config-as-code.md).
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Io, run } from '@signalbox/cli'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { database } from './db/client.ts'
import { withTestDatabase } from './db/test-database.ts'
import { postHeartbeat } from './http/heartbeat.ts'
import { postRegister } from './http/register.ts'
import { type ApiServer, serveApi } from './test/api-server.ts'
import { callerOf, installed, makeKey, type TestProject } from './test/installation.ts'
import { registration } from './test/tenant.ts'

withTestDatabase()

let server: ApiServer
let project: TestProject
let editor: Awaited<ReturnType<typeof callerOf>>
let folder: string
const keys: Record<string, string> = {}

beforeAll(async () => {
  project = await installed()
  editor = await callerOf(project, 'publisher')
  for (const environment of ['dev', 'staging', 'production']) {
    keys[environment] = await makeKey(project, { environment, scopes: ['read', 'publish'] })
  }
  server = await serveApi()
})

afterAll(() => server.close())

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-folder-'))
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function signalbox(words: string, more: { key?: string; cwd?: string } = {}): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []]
  const io: Io = {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    readText: async (file) => fs.readFileSync(file, 'utf8'),
    readLines: () => {
      throw new Error('No command here reads lines.')
    },
  }
  const key = keys[more.key ?? 'dev'] ?? more.key
  const code = await run(
    words.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [],
    io,
    {
      env: { SIGNALBOX_URL: server.url, SIGNALBOX_API_KEY: key },
      cwd: more.cwd ?? folder,
      home: folder,
      node: process.execPath,
      entry: 'signalbox',
      stopSignal: () => new AbortController().signal,
      readInput: async () => '',
    },
  )
  const ran = { code, out: out.join('\n'), err: err.join('\n') }
  for (const secret of Object.values(keys)) {
    expect(ran.out + ran.err).not.toContain(secret)
  }
  return ran
}

/** Formatted as nobody would: what a folder keeps. */
function textOf(prompt: { ns: string; key: string }, needs: readonly string[]): string {
  const { ns, key } = prompt
  const rule = { id: 'order', type: 'sequential_dependency', dependencies: { deploy: needs } }
  return `{ "schema_version": 1,\n\t"ns": "${ns}",   "key": "${key}",\n  "policies": [ ${JSON.stringify(rule)} ] }\n`
}

let made = 0

function newPrompt() {
  const prompt = { ns: 'team/agents', key: `cli-${++made}` }
  const name = `${prompt.ns}/${prompt.key}`
  const file = path.join('guardrails', 'team', 'agents', `${prompt.key}.json`)
  const write = (needs: readonly string[], root = folder) => {
    fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true })
    fs.writeFileSync(path.join(root, file), textOf(prompt, needs))
  }
  const read = () => fs.readFileSync(path.join(folder, file), 'utf8')
  return { ...prompt, name, file, write, read }
}

const publish = '--env dev --note "as told"'

describe('a folder of files', () => {
  test('a file goes to dev, and comes back in another folder with its formatting', async () => {
    const one = newPrompt()
    one.write(['test'])
    expect(await signalbox('check')).toMatchObject({ code: 0 })
    expect(await signalbox(`diff --env dev ${one.name}`)).toMatchObject({
      code: 1,
      out: expect.stringContaining('+ Policy order: deploy needs test first'),
    })
    const published = await signalbox(`publish ${publish}`)
    expect(published).toMatchObject({ code: 0, out: expect.stringContaining('v1 released to dev') })
    expect((await signalbox(`diff --env dev ${one.name}`)).code).toBe(0)
    expect((await signalbox(`publish ${publish}`)).out).toContain('dev runs it already, as v1')

    const text = one.read()
    const other = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-folder-'))
    expect((await signalbox(`pull ${one.name} --env dev`, { cwd: other })).code).toBe(0)
    expect(fs.readFileSync(path.join(other, one.file), 'utf8')).toBe(text)
  })

  test('a draft that somebody typed since the pull is not overwritten unasked', async () => {
    const one = newPrompt()
    one.write(['test'])
    await signalbox(`publish ${publish}`)
    const { draft } = await editor.drafts.open(one)
    const seen = { id: draft?.id ?? '', revision: draft?.revision ?? 0 }
    const text = textOf(one, ['somebody_else'])
    await editor.drafts.save({ ns: one.ns, key: one.key, text, seen, baseVersion: null })

    one.write(['test', 'build'])
    const refused = await signalbox('push')
    expect(refused).toMatchObject({
      code: 1,
      out: expect.stringContaining('A publisher has a draft'),
    })
    expect((await editor.drafts.open(one)).draft?.text).toBe(text)
    const pulled = await signalbox(`pull ${one.name} --draft`)
    expect(pulled).toMatchObject({ code: 1, out: expect.stringContaining('was changed here') })
    expect((await signalbox('push --overwrite')).code).toBe(0)
    expect((await editor.drafts.open(one)).draft?.text).toBe(one.read())
  })

  test('a folder that knows nothing needs the one before the change, and then publishes like any other', async () => {
    const one = newPrompt()
    one.write(['test'])
    await signalbox(`publish ${publish}`)
    const build = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-build-'))
    one.write(['test', 'build'], build)
    const blind = await signalbox(`publish ${publish}`, { cwd: build })
    expect(blind).toMatchObject({ code: 1, out: expect.stringContaining('--was') })
    const was = path.join(folder, 'guardrails')
    const released = await signalbox(`publish ${publish} --was ${was}`, { cwd: build })
    expect(released).toMatchObject({ code: 0, out: expect.stringContaining('v2 released to dev') })
  })

  test('what dev got from elsewhere is not undone by a folder of before', async () => {
    const one = newPrompt()
    one.write(['test'])
    await signalbox(`publish ${publish}`)
    const [first, second] = [1, 2].map(() => fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-')))
    const was = path.join(folder, 'guardrails')
    one.write(['test', 'first'], first)
    one.write(['test', 'second'], second)
    await signalbox(`publish ${publish} --was ${was}`, { cwd: first ?? '' })
    const late = await signalbox(`publish ${publish} --was ${was}`, { cwd: second ?? '' })
    expect(late).toMatchObject({
      code: 1,
      out: expect.stringContaining('dev runs v2, and this draft was made from v1'),
    })
  })

  test('a wrong file ends with its place and 1, a wrong name with 2', async () => {
    const one = newPrompt()
    one.write(['test'])
    const broken = path.join(folder, one.file)
    fs.writeFileSync(broken, textOf(one, ['test']).replace('sequential_dependency', 'no_such_type'))
    expect(await signalbox('check')).toMatchObject({
      code: 1,
      out: expect.stringContaining('/policies/0'),
    })
    expect(await signalbox('diff nowhere --env dev')).toMatchObject({
      code: 2,
      err: expect.stringContaining('"nowhere" is no prompt'),
    })
    expect((await signalbox('pull', { key: 'sbx_none' })).code).toBe(2)
  })
})

describe('releases', () => {
  test('dev to staging to production, with everything that production demands named at once', async () => {
    const one = newPrompt()
    one.write(['test'])
    await signalbox(`publish ${publish}`)
    const promote = (to: string, from: string, words = '') =>
      signalbox(`promote ${one.name} --from ${from} --to ${to} ${words}`, { key: to })
    expect((await promote('staging', 'dev')).code).toBe(0)
    const refused = await promote('production', 'staging')
    expect(refused.code).toBe(1)
    expect(refused.out).toContain('needs a note')
    expect(refused.out).toContain('"production" as confirm')
    const done = await promote('production', 'staging', '--note "go" --confirm production')
    expect(done).toMatchObject({
      code: 0,
      out: expect.stringContaining('v1 released to production'),
    })
    const again = await promote('production', 'staging', '--note "go" --confirm production')
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('runs it already') })
    const elsewhere = await signalbox(`promote ${one.name} --from dev --to staging`, { key: 'dev' })
    expect(elsewhere.code).toBe(0)
  })

  test('a key of dev releases nowhere else', async () => {
    const one = newPrompt()
    one.write(['test'])
    await signalbox(`publish ${publish}`)
    const refused = await signalbox(`promote ${one.name} --from dev --to staging`)
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('belongs to dev') })
  })

  test('a share of new sessions gets it first, or all of them under watch', async () => {
    const one = newPrompt()
    one.write(['test'])
    await signalbox(`publish ${publish}`)
    one.write(['test', 'build'])
    const staged = await signalbox(`publish ${publish} ${one.name} --share 10`)
    expect(staged).toMatchObject({
      ...{ code: 0, out: expect.stringContaining('v2 staged in dev as revision') },
    })
    expect(staged.out).toContain('the other sessions keep v1')
    const wrong = await signalbox(`publish ${publish} ${one.name} --watch 24 --guard moon:1:5`)
    expect(wrong.code).toBe(2)
    const watched = await signalbox(`publish ${publish} ${one.name} --watch 24 --guard blocks:2:10`)
    expect(watched).toMatchObject({ code: 0, out: expect.stringContaining('v2 released to dev') })
  })

  test('a roll back goes to the version before, and says so as JSON', async () => {
    const one = newPrompt()
    one.write(['test'])
    await signalbox(`publish ${publish}`)
    one.write(['test', 'build'])
    expect((await signalbox(`publish ${publish}`)).out).toContain('v2 released to dev')
    const { code, out } = await signalbox(`rollback ${one.name} --env dev --json`)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      configs: [{ key: one.key, result: 'released', version: 1 }],
    })
  })

  test('a roll back tightens running sessions where it is asked to, and is refused where it would loosen them', async () => {
    const one = newPrompt()
    for (const tools of [['test'], ['test', 'build'], ['test']]) {
      one.write(tools)
      expect((await signalbox(`publish ${publish} ${one.name}`)).code).toBe(0)
    }
    const back = (words: string) => signalbox(`rollback ${one.name} --env dev --tighten ${words}`)
    expect(await back('--to 2')).toMatchObject({
      ...{ code: 0, out: expect.stringContaining('v2 released to dev') },
    })
    const made = await database().prisma.release.findMany({
      where: { config: { key: one.key }, kind: 'rollback' },
    })
    expect(made.map(({ tighten }) => tighten)).toEqual([true])
    expect(await back('--to 1')).toMatchObject({
      ...{ code: 1, out: expect.stringContaining('cannot be tightened') },
    })
  })

  test('--wait ends when the runtime has applied it, and with 1 when it refuses', async () => {
    const one = newPrompt()
    one.write(['test'])
    const key = await makeKey(project)
    const send = (handler: typeof postRegister, body: object) =>
      handler(
        new Request('http://127.0.0.1:3000/api', {
          method: 'POST',
          headers: { authorization: `Bearer ${key}` },
          body: JSON.stringify(body),
        }),
      )
    const told = await send(postRegister, registration('waiting', one.name))
    const { runtime_id } = await told.json()
    const beat = (report: object) =>
      send(postHeartbeat, {
        ...{ runtime_id, now: Date.now(), live_sessions: 0, spooled_events: 0 },
        ...{ applied: null, rejected: null, ...report },
      })
    const waiting = signalbox(`publish ${publish} --wait --timeout 20`)
    const revision = await newest(one.name)
    const digest = `sha256:${'0'.repeat(64)}`
    await beat({ applied: { revision, digest, source: 'server' } })
    expect(await waiting).toMatchObject({
      code: 0,
      out: expect.stringContaining('is live on 1 of 1'),
    })

    one.write(['test', 'build'])
    const refusing = signalbox(`publish ${publish} --wait --timeout 20`)
    const next = await newest(one.name, revision)
    const applied = { revision, digest, source: 'server' }
    await beat({ applied, rejected: { revision: next, reason: 'unknown type Lunar' } })
    expect(await refusing).toMatchObject({
      code: 1,
      out: expect.stringContaining('waiting rejected it: unknown type Lunar'),
    })
    await beat({ stopping: true })
  })
})

/** The bundle revision that carries a release of the prompt above `after`, once there is one. */
async function newest(name: string, after = 0): Promise<number> {
  const [ns, key] = [name.slice(0, name.lastIndexOf('/')), name.slice(name.lastIndexOf('/') + 1)]
  for (;;) {
    const detail = await editor.configs.get({ ns, key }).catch(() => null)
    const revision = detail?.pointers[0]?.revision ?? 0
    if (revision > after) return revision
  }
}

describe('export and import', () => {
  test('a file says what it would add, adds it with --yes, and then adds nothing', async () => {
    const one = newPrompt()
    one.write(['test'])
    await signalbox(`publish ${publish}`)
    expect((await signalbox('export all.json')).code).toBe(0)
    const file = path.join(folder, 'all.json')
    const document = JSON.parse(fs.readFileSync(file, 'utf8'))
    const renamed = document.configs.find(({ key }: { key: string }) => key === one.key)
    expect(renamed.versions).toHaveLength(1)
    const plan = await signalbox('import all.json')
    expect(plan).toMatchObject({
      code: 0,
      out: expect.stringContaining(`= ${one.name}: is here already`),
    })
    fs.writeFileSync(file, '{"export_version": 2}')
    expect((await signalbox('import all.json')).code).toBe(2)
  })
})
